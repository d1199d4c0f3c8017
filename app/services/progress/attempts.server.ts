import { sql } from 'kysely'
import type { FailedTest } from '~/lib/failed-test.ts'
import type { LangText } from '~/lib/language.ts'
import { isUid } from '~/lib/uid.ts'
import { isListed } from '../access/access.server.ts'
import { type Ctx, requireStaff, requireViewer } from '../context.ts'
import { NotFound } from '../errors.ts'
import { blockTitles } from '../packages/packages.server.ts'
import { otherProgramOf } from '../packages/urls.ts'
import { failedTestOf } from './failed-test.ts'

/** An attempt at a module, with the state of each of its units. Learners do not see their own previews. */
export type Attempt = {
  registrationUid: string
  /**
   * Counted from 1 in the order in which attempts began, without attempts that were closed before anything was opened.
   */
  number: number
  version: number
  versionUid: string
  /** Null for an attempt that a move has opened and in which nothing was launched yet. */
  startedAt: Date | null
  /** When a unit was last launched in Normal mode, the rule for every last visit (docs/decisions/013). Null if none was. */
  lastVisitedAt: Date | null
  percent: number
  /** The mean of the units' best scores, in whole percent. */
  score: number | null
  isOpen: boolean
  isSatisfied: boolean
  /** The version that the attempt was moved to, if it was moved. */
  movedToVersion: number | null
  sessionCount: number
  units: AttemptUnit[]
}

export type AttemptUnit = {
  uid: string
  index: number
  title: LangText
  /** The titles of the blocks that the unit is in, outermost first. */
  blocks: LangText[]
  state: 'not started' | 'in progress' | 'completed' | 'passed' | 'failed' | 'waived'
  percent: number
  score: number | null
  failedTest: FailedTest
  seconds: number
  lastVisitedAt: Date | null
  waiveReason: string | null
  /** Done or waived, so there is nothing left to waive. */
  isMet: boolean
  /** It opens in another program, so it cannot be opened here. */
  isElsewhere: boolean
}

/** An attempt for staff. Previews have no number, because they do not count. */
export type LearnerAttempt = Omit<Attempt, 'number'> & { number: number | null; isPreview: boolean }

export type LearnerAttempts = {
  learner: { uid: string; name: string; email: string }
  /** `readyVersions` is the number of versions that can be opened, published or not. */
  module: { uid: string; name: string; readyVersions: number }
  attempts: LearnerAttempt[]
}

export async function listOwnAttempts(ctx: Ctx, input: { moduleUid: string }): Promise<Attempt[]> {
  const viewer = requireViewer(ctx)
  if (!isUid(input.moduleUid)) return []
  const rows = await selectAttempts(ctx, { userId: viewer.id, moduleUid: input.moduleUid, withPreviews: false })
  return (await attemptsOf(ctx, rows)).map(({ isPreview: _, number, ...attempt }) => ({
    ...attempt,
    number: number ?? 0,
  }))
}

/**
 * Lists a learner's attempts at a module, newest first, including previews, for staff. Empty if the learner never
 * opened it. Throws NotFound for people who were erased or belong to another site.
 */
export async function listAttemptsOfLearner(
  ctx: Ctx,
  input: { moduleUid: string; userUid: string },
): Promise<LearnerAttempts> {
  requireStaff(ctx)
  if (!isUid(input.moduleUid) || !isUid(input.userUid)) throw new NotFound()
  const person = await ctx.db
    .selectFrom('users')
    .innerJoin('modules', 'modules.site_id', 'users.site_id')
    .select([
      'users.id',
      'users.uid',
      'users.first_name as firstName',
      'users.last_name as lastName',
      'users.email',
      'modules.uid as moduleUid',
      'modules.name as moduleName',
      (eb) =>
        eb
          .selectFrom('module_versions as version')
          .innerJoin('cmi5_packages as package', 'package.module_version_id', 'version.id')
          .whereRef('version.module_id', '=', 'modules.id')
          .where('package.status', '=', 'parsed')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .as('readyVersions'),
    ])
    .where('users.uid', '=', input.userUid)
    .where('users.site_id', '=', ctx.site.id)
    .where('users.erased_at', 'is', null)
    .where('modules.uid', '=', input.moduleUid)
    .where(isListed(ctx, 'modules'))
    .executeTakeFirst()
  if (!person) throw new NotFound()
  const rows = await selectAttempts(ctx, { userId: person.id, moduleUid: input.moduleUid, withPreviews: true })
  const email = person.email ?? ''
  return {
    learner: { uid: person.uid, name: `${person.firstName ?? ''} ${person.lastName ?? ''}`.trim() || email, email },
    module: { uid: person.moduleUid, name: person.moduleName, readyVersions: person.readyVersions ?? 0 },
    attempts: await attemptsOf(ctx, rows),
  }
}

type AttemptRow = Awaited<ReturnType<typeof selectAttempts>>[number]

async function selectAttempts(ctx: Ctx, input: { userId: number; moduleUid: string; withPreviews: boolean }) {
  let query = ctx.db
    .selectFrom('registrations as r')
    .innerJoin('modules as m', 'm.id', 'r.module_id')
    .innerJoin('module_versions as v', 'v.id', 'r.module_version_id')
    .leftJoin('registrations as next', 'next.moved_from_id', 'r.id')
    .leftJoin('module_versions as nv', 'nv.id', 'next.module_version_id')
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('launch_sessions as s')
          .whereRef('s.registration_id', '=', 'r.id')
          .select((eb) => [
            eb.fn.countAll<number>().as('sessionCount'),
            sql<boolean>`bool_or(s.initialized_at is not null)`.as('isBegun'),
          ])
          .as('sessions'),
      (join) => join.onTrue(),
    )
    .select([
      'r.id',
      'r.uid as registrationUid',
      'r.created_at as startedAt',
      'r.progress_percent as percent',
      'r.closed_at as closedAt',
      'r.satisfied_at as satisfiedAt',
      'r.is_preview as isPreview',
      'v.version',
      'v.uid as versionUid',
      'r.moved_from_id as movedFromId',
      'nv.version as movedToVersion',
      'sessions.sessionCount',
      'sessions.isBegun',
    ])
    .where('r.user_id', '=', input.userId)
    .where('r.site_id', '=', ctx.site.id)
    .where('m.uid', '=', input.moduleUid)
    .where('m.deleted_at', 'is', null)
    .orderBy('r.id')
  if (!input.withPreviews) query = query.where('r.is_preview', '=', false)
  return query.limit(1000).execute()
}

/**
 * Converts rows, which are in the order in which attempts began, and returns the newest first. Leaves out attempts that
 * were closed before anything was opened, except those between two moves.
 */
async function attemptsOf(ctx: Ctx, rows: AttemptRow[]): Promise<LearnerAttempt[]> {
  const shown = rows.filter(
    ({ closedAt, isBegun, movedFromId, movedToVersion }) =>
      closedAt === null || isBegun || (movedFromId !== null && movedToVersion !== null),
  )
  const units = new Map<number, UnitRow[]>(shown.map(({ id }) => [id, []]))
  for (const unit of await selectUnits(ctx, [...units.keys()])) units.get(unit.registrationId)?.push(unit)
  let count = 0
  return shown
    .map((attempt) => {
      const own = units.get(attempt.id) ?? []
      const isUntouched = attempt.movedFromId !== null && attempt.sessionCount === 0
      const scores = own.flatMap(({ score }) => (score === null ? [] : [score]))
      const visits = own.flatMap(({ lastVisitedAt }) => (lastVisitedAt === null ? [] : [lastVisitedAt.getTime()]))
      return {
        registrationUid: attempt.registrationUid,
        number: attempt.isPreview ? null : ++count,
        isPreview: attempt.isPreview,
        version: attempt.version,
        versionUid: attempt.versionUid,
        startedAt: isUntouched ? null : attempt.startedAt,
        lastVisitedAt: visits.length === 0 ? null : new Date(Math.max(...visits)),
        percent: attempt.percent,
        score: scores.length === 0 ? null : Math.round((scores.reduce((a, b) => a + b, 0) / scores.length) * 100),
        isOpen: attempt.closedAt === null,
        isSatisfied: attempt.satisfiedAt !== null,
        movedToVersion: attempt.movedToVersion,
        sessionCount: attempt.sessionCount,
        units: own.map(unitOf),
      }
    })
    .reverse()
}

type UnitRow = Awaited<ReturnType<typeof selectUnits>>[number]

/** Selects all units of the attempts' packages, including units that were never launched. */
async function selectUnits(ctx: Ctx, registrationIds: number[]) {
  if (registrationIds.length === 0) return []
  return ctx.db
    .selectFrom('registrations as r')
    .innerJoin('cmi5_packages as p', 'p.module_version_id', 'r.module_version_id')
    .innerJoin('cmi5_units as u', 'u.package_id', 'p.id')
    .leftJoin('registration_units as ru', (join) =>
      join.onRef('ru.registration_id', '=', 'r.id').onRef('ru.unit_id', '=', 'u.id'),
    )
    .select([
      'r.id as registrationId',
      'u.uid',
      'u.position',
      'u.title',
      blockTitles('u.block_id').as('blocks'),
      'u.url',
      'ru.progress',
      'ru.move_on as moveOn',
      'ru.score_scaled as score',
      'ru.completed_at as completedAt',
      'ru.passed_at as passedAt',
      'ru.failed_at as failedAt',
      'ru.waived_at as waivedAt',
      'ru.waive_reason as waiveReason',
      'ru.satisfied_at as satisfiedAt',
      'ru.seconds',
      'ru.last_visited_at as lastVisitedAt',
    ])
    .where('r.id', 'in', registrationIds)
    .orderBy('r.id')
    .orderBy('u.position')
    .execute()
}

function unitOf(row: UnitRow): AttemptUnit {
  return {
    uid: row.uid,
    index: row.position,
    title: row.title as LangText,
    blocks: row.blocks,
    state: stateOf(row),
    percent: row.progress ?? 0,
    score: row.score === null ? null : Math.round(row.score * 100),
    failedTest: failedTestOf(row),
    seconds: row.seconds ?? 0,
    lastVisitedAt: row.lastVisitedAt,
    waiveReason: row.waivedAt ? row.waiveReason : null,
    isMet: row.waivedAt !== null || (row.satisfiedAt !== null && row.progress === 100),
    isElsewhere: otherProgramOf(row.url) !== null,
  }
}

function stateOf(row: UnitRow): AttemptUnit['state'] {
  if (row.progress === 100) return row.passedAt ? 'passed' : row.waivedAt ? 'waived' : 'completed'
  if (row.failedAt && !row.passedAt) return 'failed'
  return row.lastVisitedAt ? 'in progress' : 'not started'
}
