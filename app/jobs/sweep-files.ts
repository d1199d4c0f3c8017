import type { SystemCtx } from '~/services/context.ts'
import { sweepUploads } from '~/services/uploads/sweep.server.ts'
import { sweepAttachments } from '~/services/xapi/xapi.server.ts'

/** Deletes files that nothing refers to. Returns the number of each kind. */
export async function sweepFiles(ctx: SystemCtx): Promise<Record<string, number>> {
  return { ...(await sweepUploads(ctx)), attachments: await sweepAttachments(ctx) }
}
