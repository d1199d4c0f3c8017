import { endBulkOperation } from '~/services/bulk/bulk.server.ts'
import { moveLearners } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import type { SiteJobs } from '~/services/queue/queue.server.ts'

export async function moveLearnersJob(
  ctx: Ctx,
  payload: SiteJobs['move-learners'],
  attempt: { isLast: boolean },
): Promise<unknown> {
  return moveLearners(ctx, payload).catch(async (error) => {
    // Nobody tries again after this, so whoever waits for it is told.
    if (attempt.isLast && 'operationUid' in payload) {
      await endBulkOperation(ctx, { operationUid: payload.operationUid, status: 'failed' })
    }
    throw error
  })
}
