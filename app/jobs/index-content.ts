import { queueLinkChecks } from '~/services/checks/check-links.server.ts'
import type { SystemCtx } from '~/services/context.ts'
import { indexModules } from '~/services/modules/index-modules.server.ts'
import type { SystemJobs } from '~/services/queue/queue.server.ts'
import { indexContent, listUnindexed, searchKinds } from '~/services/search/documents.server.ts'

/**
 * Indexes content, and queues a visit to the links that are new in it. The modules domain indexes modules, because it
 * reads the texts of their packages.
 */
export async function indexContentJob(ctx: SystemCtx, { kind, uids }: SystemJobs['index-content']): Promise<void> {
  if (kind === 'module') await indexModules(ctx, { uids })
  else await indexContent(ctx, { kind, uids })
  await queueLinkChecks(ctx, { kind, uids })
}

/** Indexes all content without a document. Queued at each start. */
export async function indexMissingContent(ctx: SystemCtx): Promise<void> {
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
