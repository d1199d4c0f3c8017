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
import { actsAsStaff, type Ctx, requireStaff, requireViewer } from '../context.ts'
import { Conflict, NotFound, ServiceError } from '../errors.ts'
import { queue } from '../queue/queue.server.ts'
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
 * Queues the move and returns how many people it affects. Queueing it twice is harmless: people who were moved are
 * already in the version.
 */
export async function queueMoveOfLearners(
  ctx: Ctx,
  input: { moduleUid: string; moduleVersionUid: string },
): Promise<LearnersToMove> {
  const { uid: movedByUid } = requireViewer(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const found = await countLearnersToMove(ctx, input)
    if (found.learners === 0)
      throw new Conflict('attempt.nobody_to_move', 'No learners are in another version right now.')
    const moduleVersionUid = input.moduleVersionUid.toLowerCase()
    await queue(
      ctx,
      'move-learners',
      { moduleVersionUid, movedByUid, afterUid: null },
      { key: keyOf(moduleVersionUid) },
    )
    await recordAudit(ctx, {
      action: 'module.learners_moved',
      entity: 'module',
      entityUid: found.module.uid,
      after: { version: found.version, learners: found.learners },
    })
    return found
  })
}

const batch = 50

/**
 * Job: moves a batch and queues the next one. Acts as the person who asked for the move, and stops if that person may
 * no longer do it. Skips attempts that can no longer be moved. `afterUid` is the last attempt of the previous batch.
 */
export async function moveLearners(
  ctx: Ctx,
  input: { moduleVersionUid: string; movedByUid: string; afterUid: string | null; most?: number },
): Promise<{ moved: number; isDone: boolean }> {
  const most = input.most ?? batch
  const work = await findWork(ctx, input)
  if (!work) return { moved: 0, isDone: true }
  const rows = await selectBatch(work.ctx, { ...work, afterUid: input.afterUid, most })
  let moved = 0
  for (const { uid } of rows) {
    try {
      await moveAttempt(work.ctx, { registrationUid: uid, moduleVersionUid: input.moduleVersionUid })
      moved++
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      ctx.log.info({ registrationUid: uid, code: error.code }, 'attempt not moved')
    }
  }
  const last = rows.at(-1)
  if (!last || rows.length < most) return { moved, isDone: true }
  const { moduleVersionUid, movedByUid } = input
  const rest = { moduleVersionUid, movedByUid, afterUid: last.uid }
  await queue(ctx, 'move-learners', rest, { key: keyOf(moduleVersionUid) })
  return { moved, isDone: false }
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
async function findWork(ctx: Ctx, input: { moduleVersionUid: string; movedByUid: string }) {
  const row = await ctx.db
    .selectFrom('module_versions as v')
    .innerJoin('modules as m', 'm.id', 'v.module_id')
    .innerJoin('users as asker', (join) =>
      join.onRef('asker.site_id', '=', 'm.site_id').on('asker.uid', '=', input.movedByUid),
    )
    .select(['v.id as versionId', 'v.module_id as moduleId', 'asker.id as askerId'])
    .where('m.site_id', '=', ctx.site.id)
    .where('v.uid', '=', input.moduleVersionUid)
    .where('m.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) return null
  const { versionId, moduleId, askerId } = row
  const viewer = await findViewer(ctx, { userId: askerId })
  const acting = { ...ctx, viewer }
  return viewer && actsAsStaff(acting) ? { ctx: acting, versionId, moduleId } : null
}

function selectBatch(
  ctx: Ctx,
  input: { moduleId: number; versionId: number; afterUid: string | null; most: number },
): Promise<{ uid: string }[]> {
  return ctx.db
    .selectFrom('registrations as r')
    .select('r.uid')
    .where((eb) => isInTheMiddle(eb, input))
    .where(sql<boolean>`r.id > coalesce((select id from registrations where uid = ${input.afterUid}::uuid), 0)`)
    .orderBy('r.id')
    .limit(input.most)
    .execute()
}

/**
 * Selects open, unfinished attempts that were begun in another version. An attempt that continues a moved one counts as
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
