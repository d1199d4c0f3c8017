/** Bulk operations, as the console shows them. */
import type { BulkView } from '~/components/console/bulk/view.ts'
import { formatMoment } from '~/lib/dates.ts'
import { type BulkKind, type BulkOperation, findBulkOperation, getBulkOperation } from '~/services/bulk/bulk.server.ts'
import { listBulkFailures } from '~/services/bulk/work-through-items.server.ts'
import type { Ctx } from '~/services/context.ts'
import { findLatestModulesChange } from '~/services/modules/change-many.server.ts'

type Words = Pick<BulkView, 'title' | 'noun' | 'past'>

const words: Record<BulkKind, Words> = {
  'move-learners': { title: 'Move Learners', noun: ['learner', 'learners'], past: 'moved' },
  'publish-modules': { title: 'Publish Modules', noun: ['module', 'modules'], past: 'published' },
  'unpublish-modules': { title: 'Unpublish Modules', noun: ['module', 'modules'], past: 'unpublished' },
  'delete-modules': { title: 'Remove Modules', noun: ['module', 'modules'], past: 'removed' },
  'restore-modules': { title: 'Restore Modules', noun: ['module', 'modules'], past: 'restored' },
}

export async function getBulkView(ctx: Ctx, input: { operationUid: string }): Promise<BulkView> {
  return viewOf(ctx, await getBulkOperation(ctx, input))
}

/** The latest operation of a subject, while it runs and until an hour after its start. */
export async function findBulkView(ctx: Ctx, input: { kind: BulkKind; subjectUid: string }): Promise<BulkView | null> {
  const operation = await findBulkOperation(ctx, input)
  return operation && isOfInterest(ctx, operation) ? viewOf(ctx, operation) : null
}

/** The latest change of many modules that the viewer has started, while it runs, or if something failed in the last hour. */
export async function findModulesChangeToShow(ctx: Ctx): Promise<BulkView | null> {
  const operation = await findLatestModulesChange(ctx)
  const isShown = operation && (operation.status === 'running' || operation.failed > 0) && isOfInterest(ctx, operation)
  return isShown ? viewOf(ctx, operation) : null
}

function isOfInterest(ctx: Ctx, { status, createdAt }: BulkOperation): boolean {
  return status === 'running' || ctx.now.getTime() - createdAt.getTime() < 3_600_000
}

async function viewOf(ctx: Ctx, operation: BulkOperation): Promise<BulkView> {
  const { uid, kind, status, total, done, failed, unchanged, createdAt } = operation
  return {
    uid,
    status,
    ...words[kind],
    startedAt: formatMoment(createdAt, ctx.site.timeZone),
    total,
    done,
    failed,
    unchanged,
    failures: failed > 0 ? await listBulkFailures(ctx, { operationUid: uid }) : [],
  }
}
