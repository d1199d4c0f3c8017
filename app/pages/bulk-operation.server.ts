/** Bulk operations, as the console shows them. */
import type { BulkView } from '~/components/console/bulk/view.ts'
import { formatMoment } from '~/lib/dates.ts'
import {
  type BulkKind,
  type BulkOperation,
  findBulkOperation,
  getBulkOperation,
  listBulkFailures,
} from '~/services/bulk/bulk.server.ts'
import type { Ctx } from '~/services/context.ts'

const titles: Record<BulkKind, string> = { 'move-learners': 'Move Learners' }

export async function getBulkView(ctx: Ctx, input: { operationUid: string }): Promise<BulkView> {
  return viewOf(ctx, await getBulkOperation(ctx, input))
}

/** The latest of a subject, as long as it is of interest: until an hour after its beginning, or while it runs. */
export async function findBulkView(ctx: Ctx, input: { kind: BulkKind; subjectUid: string }): Promise<BulkView | null> {
  const operation = await findBulkOperation(ctx, input)
  if (!operation) return null
  const isRecent = ctx.now.getTime() - operation.createdAt.getTime() < 3_600_000
  return isRecent || operation.status === 'running' ? viewOf(ctx, operation) : null
}

async function viewOf(ctx: Ctx, operation: BulkOperation): Promise<BulkView> {
  const { uid, kind, status, total, done, failed, createdAt } = operation
  return {
    uid,
    status,
    title: titles[kind],
    startedAt: formatMoment(createdAt, ctx.site.timeZone),
    total,
    done,
    failed,
    failures: failed > 0 ? await listBulkFailures(ctx, { operationUid: uid }) : [],
  }
}
