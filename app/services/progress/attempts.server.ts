import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireViewer } from '../context.ts'

/** My attempts at a module, newest first, with what each of its units came to. Previews are not attempts. */
export type Attempt = {
  registrationUid: string
  /** From 1, in the order begun; attempts that were closed before anything was opened do not count. */
  number: number
  version: number
  startedAt: Date
  lastVisitedAt: Date
  percent: number
  /** The mean of the scored units' best, in whole percent. */
  score: number | null
  isOpen: boolean
  isSatisfied: boolean
  sessionCount: number
  units: AttemptUnit[]
}

export type AttemptUnit = {
  uid: string
  index: number
  title: Record<string, string>
  state: 'not started' | 'in progress' | 'completed' | 'passed' | 'failed' | 'waived'
  percent: number
  score: number | null
  seconds: number
  lastVisitedAt: Date | null
}

export async function listOwnAttempts(ctx: Ctx, input: { moduleUid: string }): Promise<Attempt[]> {
  const viewer = requireViewer(ctx)
  if (!isUid(input.moduleUid)) return []
  const attempts = await ctx.db
    .selectFrom('registrations as r')
    .innerJoin('modules as m', 'm.id', 'r.module_id')
    .innerJoin('module_versions as v', 'v.id', 'r.module_version_id')
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('launch_sessions as s')
          .whereRef('s.registration_id', '=', 'r.id')
          .select((eb) => [
            eb.fn.countAll<number>().as('sessionCount'),
            eb.fn.max('s.last_seen_at').as('lastVisitedAt'),
            sql<boolean>`bool_or(s.initialized_at is not null)`.as('isBegun'),
          ])
          .as('visits'),
      (join) => join.onTrue(),
    )
    .select([
      'r.id',
      'r.uid as registrationUid',
      'r.created_at as startedAt',
      'r.progress_percent as percent',
      'r.closed_at as closedAt',
      'r.satisfied_at as satisfiedAt',
      'v.version',
      'visits.sessionCount',
      'visits.lastVisitedAt',
      'visits.isBegun',
    ])
    .where('r.user_id', '=', viewer.id)
    .where('r.is_preview', '=', false)
    .where('r.site_id', '=', ctx.site.id)
    .where('m.uid', '=', input.moduleUid)
    .where('m.deleted_at', 'is', null)
    .orderBy('r.number')
    .limit(1000)
    .execute()
  const shown = attempts.filter((attempt) => attempt.closedAt === null || attempt.isBegun)
  const units = await selectUnits(
    ctx,
    shown.map(({ id }) => id),
  )
  return shown
    .map((attempt, index) => {
      const own = units.filter((unit) => unit.registrationId === attempt.id)
      const scores = own.flatMap(({ score }) => (score === null ? [] : [score]))
      return {
        registrationUid: attempt.registrationUid,
        number: index + 1,
        version: attempt.version,
        startedAt: attempt.startedAt,
        lastVisitedAt: attempt.lastVisitedAt ?? attempt.startedAt,
        percent: attempt.percent,
        score: scores.length === 0 ? null : Math.round((scores.reduce((a, b) => a + b, 0) / scores.length) * 100),
        isOpen: attempt.closedAt === null,
        isSatisfied: attempt.satisfiedAt !== null,
        sessionCount: attempt.sessionCount,
        units: own.map(unitOf),
      }
    })
    .reverse()
}

type UnitRow = Awaited<ReturnType<typeof selectUnits>>[number]

/** All units of the attempts' packages, those never launched too. */
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
      'ru.progress',
      'ru.score_scaled as score',
      'ru.completed_at as completedAt',
      'ru.passed_at as passedAt',
      'ru.failed_at as failedAt',
      'ru.waived_at as waivedAt',
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
    title: row.title as Record<string, string>,
    state: stateOf(row),
    percent: row.progress ?? 0,
    score: row.score === null ? null : Math.round(row.score * 100),
    seconds: row.seconds ?? 0,
    lastVisitedAt: row.lastVisitedAt,
  }
}

function stateOf(row: UnitRow): AttemptUnit['state'] {
  if (row.passedAt) return 'passed'
  if (row.waivedAt) return 'waived'
  if (row.completedAt) return 'completed'
  if (row.failedAt) return 'failed'
  if (row.progress === 100) return 'completed'
  return row.lastVisitedAt ? 'in progress' : 'not started'
}
