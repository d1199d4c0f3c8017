/** Bulk operations, as the console shows them. */
import type { BulkView } from '~/components/console/bulk/view.ts'
import { brands } from '~/config/brands.ts'
import { formatMoment } from '~/lib/dates.ts'
import {
  type BulkKind,
  type BulkOperation,
  findBulkOperation,
  getBulkOperation,
  listRecentBulkOperations,
} from '~/services/bulk/bulk.server.ts'
import { listBulkFailures } from '~/services/bulk/work-through-items.server.ts'
import type { Ctx } from '~/services/context.ts'
import { listRecentModulesChanges } from '~/services/modules/change-many.server.ts'

type Words = Pick<BulkView, 'title' | 'noun' | 'past'>

const words: Record<Exclude<BulkKind, 'assign-content' | 'unassign-content' | 'unassign-one'>, Words> = {
  'move-learners': { title: 'Move Learners', noun: ['learner', 'learners'], past: 'moved' },
  'publish-modules': { title: 'Publish Modules', noun: ['module', 'modules'], past: 'published' },
  'unpublish-modules': { title: 'Unpublish Modules', noun: ['module', 'modules'], past: 'unpublished' },
  'delete-modules': { title: 'Remove Modules', noun: ['module', 'modules'], past: 'removed' },
  'invite-users': { title: 'Invite Users', noun: ['person', 'people'], past: 'invited' },
  'withdraw-invitations': { title: 'Withdraw Invitations', noun: ['invitation', 'invitations'], past: 'withdrawn' },
  'restore-modules': { title: 'Restore Modules', noun: ['module', 'modules'], past: 'restored' },
  'renew-access': { title: 'Renew Access', noun: ['learner', 'learners'], past: 'renewed' },
}

/** One brand assigns, the other recommends. */
function wordsOf(ctx: Ctx, kind: BulkKind): Words {
  const { assignVerb } = brands[ctx.site.key]
  const [noun, past] = [['person', 'people'] as const, `${assignVerb.toLowerCase()}ed content`]
  if (kind === 'assign-content') return { title: `${assignVerb} Content`, noun, past }
  if (kind === 'unassign-one') return { title: `Un${assignVerb.toLowerCase()} Content`, noun, past: `un${past}` }
  return kind === 'unassign-content' ? { title: 'Undo', noun, past: 'restored to what they had before' } : words[kind]
}

export async function getBulkView(ctx: Ctx, input: { operationUid: string }): Promise<BulkView> {
  return wholeViewOf(ctx, await getBulkOperation(ctx, input))
}

/** The latest operation of a subject, while it runs and until an hour after its start. */
export async function findBulkView(ctx: Ctx, input: { kind: BulkKind; subjectUid: string }): Promise<BulkView | null> {
  const operation = await findBulkOperation(ctx, input)
  return operation && isOfInterest(ctx, operation) ? wholeViewOf(ctx, operation) : null
}

export type ModulesNotice = { operation: BulkView; canUndo: boolean }

/**
 * What the table of modules says about the changes that the viewer has started in the last day, newest first: while
 * one runs, if something failed, and after a removal, so that Undo can be found. Not once the viewer has dismissed or
 * undone it.
 */
export async function listModulesNotices(ctx: Ctx): Promise<ModulesNotice[]> {
  return (await listRecentModulesChanges(ctx))
    .filter(({ isDismissed, isUndone }) => !isDismissed && !isUndone)
    .map((operation) => {
      const { kind, status, done, failed, unchanged } = operation
      return { operation, canUndo: kind === 'delete-modules' && status !== 'running' && done - failed - unchanged > 0 }
    })
    .filter(({ operation: { status, failed }, canUndo }) => status === 'running' || failed > 0 || canUndo)
    .slice(0, mostNotices)
    .map(({ operation, canUndo }) => ({ operation: viewOf(ctx, operation, []), canUndo }))
}

const mostNotices = 3

export type UsersNotice = { operation: BulkView; details: string }

/** What the table of users says about content that the viewer is assigning, or taking back, at the moment. */
export async function listUsersNotices(ctx: Ctx): Promise<UsersNotice[]> {
  const operations = await listRecentBulkOperations(ctx, { kinds: ['assign-content', 'unassign-content'] })
  return operations
    .filter(({ status }) => status === 'running')
    .slice(0, mostNotices)
    .map((operation) => ({
      operation: viewOf(ctx, operation, []),
      details: `/dashboard/users/assigned/${operation.kind === 'assign-content' ? operation.uid : operation.subjectUid}/`,
    }))
}

function isOfInterest(ctx: Ctx, { status, createdAt }: BulkOperation): boolean {
  return status === 'running' || ctx.now.getTime() - createdAt.getTime() < 3_600_000
}

/** An operation with the first things that failed. */
export async function wholeViewOf(ctx: Ctx, operation: BulkOperation): Promise<BulkView> {
  const { uid, failed } = operation
  return viewOf(ctx, operation, failed > 0 ? await listBulkFailures(ctx, { operationUid: uid }) : [])
}

function viewOf(ctx: Ctx, operation: BulkOperation, failures: BulkView['failures']): BulkView {
  const { uid, kind, status, total, done, failed, unchanged, createdAt } = operation
  return {
    uid,
    status,
    ...wordsOf(ctx, kind),
    startedAt: formatMoment(createdAt, ctx.site.timeZone),
    total,
    done,
    failed,
    unchanged,
    failures,
  }
}
