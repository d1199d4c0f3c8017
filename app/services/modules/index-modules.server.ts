import type { SystemCtx } from '../context.ts'
import { readMissingContents } from '../packages/packages.server.ts'
import { indexContent } from '../search/documents.server.ts'

/** The job: writes the search documents of these modules, on any site, with the texts of their packages. */
export async function indexModules(ctx: SystemCtx, input: { uids: string[] }): Promise<void> {
  await readMissingContents(ctx, { moduleUids: input.uids })
  await indexContent(ctx, { kind: 'module', uids: input.uids })
}
