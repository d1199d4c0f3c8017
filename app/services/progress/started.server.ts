/** What the viewer has started, for My Learning and the table of My Progress: by page number, newest first. */
import { sql } from 'kysely'
import type { FailedTest } from '~/lib/failed-test.ts'
import { isListed, isOpenable, isPlayable, isShownOnceStarted } from '../access/access.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { limitsOfPage, type NumberedPageInput } from '../paging.ts'
import { isLeftElsewhere } from './elsewhere.server.ts'
import { failedTest } from './failed-test.ts'
import { type CourseState, percentOf } from './own-courses.server.ts'
import { retakingPercent, wholeScore } from './reads.server.ts'
import { isStartedCourseShown, startedCourses } from './started-courses.ts'

type StartedUnit = {
  uid: string
  name: string
  startedAt: Date
  percent: number
  /** The percent of the open attempt while a completed module is being retaken. */
  retakingPercent: number | null
  failedTest: FailedTest
  /** In whole percent. */
  highestScore: number | null
  /** The version to launch; null for courses, and for modules that can no longer be opened. */
  versionUid: string | null
  /** All remaining units open in another program, not here. */
  isElsewhere: boolean
  /** False if the viewer's access no longer includes it. */
  isListed: boolean
}

type Started = { items: StartedUnit[]; total: number }

export async function listStartedModules(ctx: Ctx, input: NumberedPageInput): Promise<Started> {
  const viewer = requireViewer(ctx)
  const { limit, offset } = limitsOfPage(input)
  const rows = await ctx.db
    .selectFrom('module_progress as p')
    .innerJoin('modules', 'modules.id', 'p.module_id')
    .leftJoin('module_versions as v', 'v.id', 'modules.published_version_id')
    .select([
      'modules.uid',
      'modules.name',
      'p.started_at as startedAt',
      'p.progress_percent as percent',
      retakingPercent.as('retakingPercent'),
      failedTest.as('failedTest'),
      wholeScore.as('highestScore'),
      sql<string | null>`case when ${isOpenable(ctx, 'modules')} then v.uid end`.as('versionUid'),
      isLeftElsewhere(ctx).as('isElsewhere'),
      sql<boolean>`${isListed(ctx, 'modules')}`.as('isListed'),
      sql<number>`count(*) over ()`.as('total'),
    ])
    .where('p.user_id', '=', viewer.id)
    .where(isShownOnceStarted(ctx, 'modules'))
    .orderBy('p.started_at', 'desc')
    .orderBy('p.module_id')
    .limit(limit)
    .offset(offset)
    .execute()
  return pageOf(rows)
}

export async function listStartedCourses(ctx: Ctx, input: NumberedPageInput): Promise<Started> {
  const viewer = requireViewer(ctx)
  const { limit, offset } = limitsOfPage(input)
  const rows = await ctx.db
    .selectFrom(startedCourses(viewer.id).as('p'))
    .innerJoin('courses', 'courses.id', 'p.course_id')
    .select([
      'courses.uid',
      'courses.name',
      'p.started_at as startedAt',
      percentOf(sql`${viewer.id}::bigint`).as('percent'),
      sql<null>`null::int`.as('retakingPercent'),
      sql<null>`null::text`.as('failedTest'),
      sql<null>`null::int`.as('highestScore'),
      sql<null>`null::uuid`.as('versionUid'),
      sql<boolean>`false`.as('isElsewhere'),
      sql<boolean>`${isListed(ctx, 'courses')}`.as('isListed'),
      sql<number>`count(*) over ()`.as('total'),
    ])
    .where(isStartedCourseShown(ctx))
    .orderBy('p.started_at', 'desc')
    .orderBy('p.course_id')
    .limit(limit)
    .offset(offset)
    .execute()
  return pageOf(rows)
}

export type LearningState = 'in_progress' | 'completed'

type OwnPage = NumberedPageInput & { state: LearningState }

/**
 * Lists courses In Progress or Completed that the viewer started, newest first, also those that the viewer's plan no
 * longer includes. A completed course stays completed when a version with more modules is published.
 */
export async function listOwnCourses(
  ctx: Ctx,
  input: OwnPage,
): Promise<{ items: (CourseState & { uid: string })[]; total: number }> {
  const viewer = requireViewer(ctx)
  const { limit, offset } = limitsOfPage(input)
  const states = ctx.db
    .selectFrom(startedCourses(viewer.id).as('p'))
    .innerJoin('courses', 'courses.id', 'p.course_id')
    .select([
      'courses.uid',
      'p.course_id as id',
      'p.started_at as startedAt',
      'p.completed_at as completedAt',
      percentOf(sql`${viewer.id}::bigint`).as('percent'),
    ])
    .where(isStartedCourseShown(ctx))
    .offset(0) // computes each percent once
  const isCompleted = sql<boolean>`("completedAt" is not null or percent = 100)`
  const rows = await ctx.db
    .selectFrom(states.as('states'))
    .select(['uid', 'startedAt', 'completedAt', 'percent', sql<number>`count(*) over ()`.as('total')])
    .where(input.state === 'completed' ? isCompleted : sql<boolean>`not ${isCompleted}`)
    .orderBy('startedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return pageOf(rows)
}

/** `isPlayable` is false if the viewer's access no longer includes the film. */
type OwnFilm = { kind: 'lecture' | 'video'; uid: string; name: string; percent: number; isPlayable: boolean }

/** Lists lectures and videos in the same way, last watched first. */
export async function listOwnFilms(ctx: Ctx, input: OwnPage): Promise<{ items: OwnFilm[]; total: number }> {
  const viewer = requireViewer(ctx)
  const { limit, offset } = limitsOfPage(input)
  const of = (kind: OwnFilm['kind']) => {
    const table = `${kind}s` as const
    const compare = input.state === 'completed' ? sql`= 100` : sql`< 100`
    return sql`
      select ${kind} as kind, ${sql.ref(`${table}.uid`)} as uid, ${sql.ref(`${table}.name`)}::text as name, p.percent,
        ${isPlayable(ctx, table)} as "isPlayable", p.updated_at as at
      from ${sql.table(`${kind}_progress`)} p
      join ${sql.table(table)} on ${sql.ref(`${table}.id`)} = p.${sql.ref(`${kind}_id`)}
      where p.user_id = ${viewer.id} and p.percent ${compare} and ${isShownOnceStarted(ctx, table)}`
  }
  const { rows } = await sql<OwnFilm & { total: number }>`
    select kind, uid, name, percent, "isPlayable", count(*) over () as total
    from (${of('lecture')} union all ${of('video')}) films
    order by at desc, uid limit ${limit} offset ${offset}`.execute(ctx.db)
  return pageOf(rows)
}

/** Returns a page with its total. The total is 0 on pages beyond the end, because no row contains it. */
function pageOf<T>(rows: (T & { total: number })[]): { items: Omit<T & { total: number }, 'total'>[]; total: number } {
  return { items: rows.map(({ total: _, ...item }) => item), total: rows[0]?.total ?? 0 }
}
