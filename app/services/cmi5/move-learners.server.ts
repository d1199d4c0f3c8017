/**
 * "Move learners to this version": moves everybody who has begun another version of the module and not finished it. A
 * job works through them in batches, with one transaction per attempt, so it can be killed at any point and continue.
 */
import { type ExpressionBuilder, sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import type { DB } from '~db/schema.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { isListed } from '../access/access.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type BulkItem, endBulkOperation, findBulkWork, startBulkOperation } from '../bulk/bulk.server.ts'
import { workThroughItems } from '../bulk/work-through-items.server.ts'
import { actsAsStaff, type Ctx, requireStaff, requireViewer } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { type LearnerMoveOfOldBuild, queue, type SiteJobs } from '../queue/queue.server.ts'
import { findViewer } from '../sessions/sessions.server.ts'
import { moveAttempt } from './staff-actions.server.ts'

export type LearnersToMove = {
  module: { uid: string; name: string }
  version: number
  /** How many people have begun another version and not finished it. */
  learners: number
}

/** Counts the learners to move, for staff. Throws NotFound if the version's package is not ready. */
export async function countLearnersToMove(
  ctx: Ctx,
  input: { moduleUid: string; moduleVersionUid: string },
): Promise<LearnersToMove> {
  const { id, moduleId, moduleUid, name, version } = await findVersion(ctx, input)
  const { learners } = await ctx.db
    .selectFrom('registrations as r')
    .select((eb) => eb.fn.countAll<number>().as('learners'))
    .where((eb) => isInTheMiddle(eb, { moduleId, versionId: id }))
    .executeTakeFirstOrThrow()
  return { module: { uid: moduleUid, name }, version, learners }
}

/**
 * Begins the move as a bulk operation. Doing it twice is harmless: people who were moved are already in the version, and
 * while the operation runs, the same one is returned.
 */
export async function queueMoveOfLearners(
  ctx: Ctx,
  input: { moduleUid: string; moduleVersionUid: string },
): Promise<LearnersToMove & { operationUid: string }> {
  requireViewer(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const found = await countLearnersToMove(ctx, input)
    if (found.learners === 0)
      throw new Conflict('attempt.nobody_to_move', 'No learners are in another version right now.')
    const moduleVersionUid = input.moduleVersionUid.toLowerCase()
    const operation = await startBulkOperation(ctx, { kind, subjectUid: moduleVersionUid, total: found.learners })
    await queue(ctx, kind, { operationUid: operation.uid }, { key: keyOf(moduleVersionUid) })
    if (operation.isNew) {
      await recordAudit(ctx, {
        action: 'module.learners_moved',
        entity: 'module',
        entityUid: found.module.uid,
        after: { version: found.version, learners: found.learners },
      })
    }
    return { ...found, operationUid: operation.uid }
  })
}

const kind = 'move-learners'
const batch = 50

type MoveJob = SiteJobs['move-learners'] & { most?: number }

/**
 * Job: moves a batch and queues the next one. Acts as the person who asked for the move, and stops if that person may
 * no longer do it, or if somebody cancels the operation. Records each attempt that cannot be moved with the reason.
 */
export async function moveLearners(ctx: Ctx, input: MoveJob): Promise<{ moved: number; isDone: boolean }> {
  const nothing = { moved: 0, isDone: true }
  if (!('operationUid' in input)) {
    await restart(ctx, input)
    return nothing
  }
  const { operationUid, most = batch } = input
  const operation = await findBulkWork(ctx, { operationUid })
  if (!operation) return nothing
  const work = await findWork(ctx, operation)
  if (!work) {
    await endBulkOperation(ctx, { operationUid, status: 'canceled' })
    return nothing
  }
  const { cursor: after, subjectUid: moduleVersionUid } = operation
  const items = await selectBatch(work.ctx, { ...work, afterUid: after, most })
  const moved = await workThroughItems(work.ctx, { operationUid, after, items }, ({ uid }, record) =>
    moveAttempt(work.ctx, { registrationUid: uid, moduleVersionUid, alsoWrite: record }),
  )
  if (moved === null) return nothing
  const isDone = items.length < most
  if (isDone) await endBulkOperation(ctx, { operationUid, status: 'done' })
  else await queue(ctx, kind, { operationUid }, { key: keyOf(operation.subjectUid) })
  return { moved, isDone }
}

/** What an older build has queued begins anew, as whoever asked for it. */
async function restart(ctx: Ctx, { moduleVersionUid, movedByUid }: LearnerMoveOfOldBuild): Promise<void> {
  const asker = await ctx.db
    .selectFrom('users')
    .select('id')
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', movedByUid)
    .executeTakeFirst()
  const work = asker && (await findWork(ctx, { subjectUid: moduleVersionUid, createdById: asker.id }))
  if (!work) return
  try {
    await queueMoveOfLearners(work.ctx, { moduleUid: work.moduleUid, moduleVersionUid })
  } catch (error) {
    // Somebody has begun it again, or nobody is left to be moved.
    if (!(error instanceof Conflict)) throw error
  }
}

function keyOf(moduleVersionUid: string): string {
  return `move-learners:${moduleVersionUid}`
}

async function findVersion(ctx: Ctx, input: { moduleUid: string; moduleVersionUid: string }) {
  requireStaff(ctx)
  const row =
    isUid(input.moduleUid) && isUid(input.moduleVersionUid)
      ? await ctx.db
          .selectFrom('module_versions as v')
          .innerJoin('modules', 'modules.id', 'v.module_id')
          .innerJoin('cmi5_packages as p', 'p.module_version_id', 'v.id')
          .select(['v.id', 'v.version', 'modules.id as moduleId', 'modules.uid as moduleUid', 'modules.name'])
          .where('v.uid', '=', input.moduleVersionUid)
          .where('modules.uid', '=', input.moduleUid)
          .where('p.status', '=', 'parsed')
          .where(isListed(ctx, 'modules'))
          .executeTakeFirst()
      : undefined
  if (!row) throw new NotFound()
  return row
}

/**
 * Finds the version and the context of the person who asked. Returns null if that person may no longer move learners.
 */
async function findWork(ctx: Ctx, input: { subjectUid: string; createdById: number | null }) {
  const row = await ctx.db
    .selectFrom('module_versions as v')
    .innerJoin('modules as m', 'm.id', 'v.module_id')
    .select(['v.id as versionId', 'v.module_id as moduleId', 'm.uid as moduleUid'])
    .where('m.site_id', '=', ctx.site.id)
    .where('v.uid', '=', input.subjectUid)
    .where('m.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row || input.createdById === null) return null
  const viewer = await findViewer(ctx, { userId: input.createdById })
  const acting = { ...ctx, viewer }
  return viewer && actsAsStaff(acting) ? { ctx: acting, ...row } : null
}

function selectBatch(
  ctx: Ctx,
  input: { moduleId: number; versionId: number; afterUid: string | null; most: number },
): Promise<BulkItem[]> {
  return ctx.db
    .selectFrom('registrations as r')
    .innerJoin('users', 'users.id', 'r.user_id')
    .select([
      'r.uid',
      sql<string>`coalesce(nullif(trim(concat_ws(' ', users.first_name, users.last_name)), ''), users.email, '')`.as(
        'label',
      ),
    ])
    .where((eb) => isInTheMiddle(eb, input))
    .where(sql<boolean>`r.id > coalesce((select id from registrations where uid = ${input.afterUid}::uuid), 0)`)
    .orderBy('r.id')
    .limit(input.most)
    .execute()
}

/**
 * Selects open, unfinished attempts of people who are still here that were begun in another version. An attempt that continues a moved one counts as
 * begun.
 */
function isInTheMiddle(
  eb: ExpressionBuilder<DB & { r: DB['registrations'] }, 'r'>,
  { moduleId, versionId }: { moduleId: number; versionId: number },
) {
  return eb.and([
    eb('r.module_id', '=', moduleId),
    eb('r.module_version_id', '<>', versionId),
    eb('r.is_preview', '=', false),
    eb('r.closed_at', 'is', null),
    eb('r.progress_percent', '<', 100),
    eb.not(
      eb.exists(eb.selectFrom('users as u').whereRef('u.id', '=', 'r.user_id').where('u.erased_at', 'is not', null)),
    ),
    eb.or([
      eb('r.moved_from_id', 'is not', null),
      eb.exists(
        eb
          .selectFrom('launch_sessions as s')
          .select('s.id')
          .whereRef('s.registration_id', '=', 'r.id')
          .where('s.initialized_at', 'is not', null),
      ),
    ]),
  ])
}
