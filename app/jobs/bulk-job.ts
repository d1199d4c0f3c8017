import { endBulkOperation } from '~/services/bulk/bulk.server.ts'
import type { Ctx } from '~/services/context.ts'

/** The handler of a job that works on a bulk operation. After the last attempt, the operation ends as failed. */
export function bulkJob<Payload extends object>(work: (ctx: Ctx, payload: Payload) => Promise<unknown>) {
  return (ctx: Ctx, payload: Payload, attempt: { isLast: boolean }): Promise<unknown> =>
    work(ctx, payload).catch(async (error) => {
      if (attempt.isLast && 'operationUid' in payload) {
        await endBulkOperation(ctx, { operationUid: String(payload.operationUid), status: 'failed' })
      }
      throw error
    })
}
