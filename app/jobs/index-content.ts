import type { Ctx } from '~/services/context.ts'
import { indexModules } from '~/services/modules/index-modules.server.ts'
import type { Jobs } from '~/services/queue/queue.server.ts'
import { indexContent, listUnindexed, searchKinds } from '~/services/search/documents.server.ts'

/** Modules bring the texts of their packages, which their own domain reads. */
export async function indexContentJob(ctx: Ctx, { kind, uids }: Jobs['index-content']): Promise<void> {
  if (kind === 'module') await indexModules(ctx, { uids })
  else await indexContent(ctx, { kind, uids })
}

/** At each start: whatever has no document yet. */
export async function indexMissingContent(ctx: Ctx): Promise<void> {
  for (const kind of searchKinds) {
    let after = 0
    for (;;) {
      const { uids, last } = await listUnindexed(ctx, { kind, after })
      if (uids.length === 0) break
      await indexContentJob(ctx, { kind, uids })
      after = last
    }
  }
}
