import { sql } from 'kysely'
import { openCursor, sealCursor } from '~/lib/cursor.ts'
import type { FailedTest } from '~/lib/failed-test.ts'
import { isUid } from '~/lib/uid.ts'
import { isListed, isShownOnceStarted } from '../access/access.server.ts'
import { type Ctx, requireSelfOrAdmin, requireViewer } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'
import { orderedModulesOfVersion } from './course-modules.ts'
import { isLeftElsewhere } from './elsewhere.server.ts'
import { failedTest } from './failed-test.ts'
import { startedCourses } from './started-courses.ts'
import { mostRows, wholeAnswer } from './whole-answers.ts'

/** Somebody's progress in a module, as lists and cards show it. Percent and score never fall, even after a retake. */
export type ModuleProgress = {
  moduleUid: string
  startedAt: Date
  lastVisitedAt: Date
  percent: number
  /** In whole percent. */
  highestScore: number | null
  completedAt: Date | null
  failedTest: FailedTest
  /** The percent of the open attempt while a completed module is being retaken: "Completed · retaking 30 %". */
  retakingPercent: number | null
  /** The version to Resume or Retake: that of the open attempt, otherwise the published one. */
  versionUid: string | null
  version: number | null
  moduleName: string
}

/** Progress for the viewer's own pages. `isElsewhere` is true if all remaining units open in other programs. */
export type OwnModule = ModuleProgress & { isElsewhere: boolean }

/** Rounds as numeric, because doubles round halves to the even number, and 82.5 must be 83 everywhere. */
export const wholeScore = sql<number | null>`round(p.highest_score::numeric)`

/**
 * SQL for the percent of the open attempt while a completed module is being retaken, in queries where `p` is the
 * progress.
 */
export const retakingPercent = sql<number | null>`case when p.completed_at is not null then (
  select attempt.progress_percent from registrations attempt
  where attempt.user_id = p.user_id and attempt.module_id = p.module_id and not attempt.is_preview
    and attempt.closed_at is null and attempt.progress_percent < 100) end`

function progressQuery(ctx: Ctx) {
  return ctx.db
    .selectFrom('module_progress as p')
    .innerJoin('modules', 'modules.id', 'p.module_id')
    .leftJoin('registrations as r', (join) =>
      join
        .onRef('r.user_id', '=', 'p.user_id')
        .onRef('r.module_id', '=', 'p.module_id')
        .on('r.is_preview', '=', false)
        .on('r.closed_at', 'is', null),
    )
    .leftJoin('module_versions as v', (join) =>
      join.on('v.id', '=', sql<number>`coalesce(r.module_version_id, modules.published_version_id)`),
    )
    .select([
      'modules.id as moduleId',
      'modules.uid as moduleUid',
      'modules.name as moduleName',
      'p.started_at as startedAt',
      'p.last_visited_at as lastVisitedAt',
      'p.progress_percent as percent',
      wholeScore.as('highestScore'),
      'p.completed_at as completedAt',
      failedTest.as('failedTest'),
      retakingPercent.as('retakingPercent'),
      'v.uid as versionUid',
      'v.version',
    ])
    .where('modules.deleted_at', 'is', null)
    .where('modules.site_id', '=', ctx.site.id)
}

type Row = Awaited<ReturnType<ReturnType<typeof progressQuery>['executeTakeFirstOrThrow']>>

function progressOf<Own extends object>({ moduleId: _moduleId, ...row }: Row & Own): Omit<Row & Own, 'moduleId'> {
  return row
}

/**
 * Lists the viewer's own progress, latest start first, for `me { modulesProgress }`. Throws Invalid for more than
 * 5,000.
 */
export async function listOwnModulesProgress(ctx: Ctx): Promise<ModuleProgress[]> {
  const viewer = requireViewer(ctx)
  const rows = await progressQuery(ctx)
    .where('p.user_id', '=', viewer.id)
    .orderBy('p.started_at', 'desc')
    .orderBy('p.module_id')
    .limit(mostRows + 1)
    .execute()
  return wholeAnswer(rows).map(progressOf)
}

function ownQuery(ctx: Ctx) {
  return progressQuery(ctx)
    .select(isLeftElsewhere(ctx).as('isElsewhere'))
    .where('p.user_id', '=', requireViewer(ctx).id)
}

/** Returns the viewer's progress by module uid, for cards. Modules that were never opened are missing. */
export async function findOwnModulesProgress(
  ctx: Ctx,
  input: { moduleUids: string[] },
): Promise<Map<string, OwnModule>> {
  const uids = input.moduleUids.filter(isUid)
  if (!ctx.viewer || uids.length === 0) return new Map()
  const rows = await ownQuery(ctx).where(sql<boolean>`modules.uid = any(${uids}::uuid[])`).execute()
  return new Map(rows.map((row) => [row.moduleUid, progressOf(row)]))
}

export type ProgressPage = { items: OwnModule[]; endCursor: string | null }

/**
 * Lists the viewer's modules In Progress (started and below 100), Completed (100), or completed and being retaken, last
 * visited first, also those that the viewer's plan no longer includes.
 */
export async function listOwnModules(
  ctx: Ctx,
  input: { state: 'in_progress' | 'completed' | 'retaking'; first?: number; after?: string | null },
): Promise<ProgressPage> {
  const first = Math.min(Math.max(input.first ?? 20, 1), 100)
  let query = ownQuery(ctx)
    .where('p.progress_percent', input.state === 'in_progress' ? '<' : '=', 100)
    .$if(input.state === 'retaking', (modules) => modules.where(retakingPercent, 'is not', null))
    .where(isShownOnceStarted(ctx, 'modules'))
    .orderBy('p.last_visited_at', 'desc')
    .orderBy('p.module_id', 'desc')
  const list = `own-modules:${input.state}`
  const after = keyOf(list, input.after)
  if (after) {
    query = query.where((eb) =>
      eb(
        eb.refTuple('p.last_visited_at', 'p.module_id'),
        '<',
        eb.tuple(
          sql<Date>`timestamptz 'epoch' + ${after.micros}::float8 * interval '1 microsecond'`,
          sql<number>`(select id from modules where uid = ${after.uid})`,
        ),
      ),
    )
  }
  const rows = await query
    .select(sql<number>`(extract(epoch from p.last_visited_at) * 1000000)::bigint`.as('micros'))
    .limit(first + 1)
    .execute()
  const shown = rows.slice(0, first)
  const last = shown.at(-1)
  return {
    items: shown.map(({ micros: _micros, ...row }) => progressOf(row)),
    endCursor: rows.length > first && last ? sealCursor(list, [last.micros, last.moduleUid]) : null,
  }
}

/**
 * Reads a cursor; null if it does not belong to the list. The time is in microseconds: rounded to milliseconds, a row
 * could be repeated or skipped.
 */
function keyOf(list: string, cursor: string | null | undefined): { micros: number; uid: string } | null {
  const [micros, uid] = openCursor(list, cursor ?? '') ?? []
  return typeof micros === 'number' && Number.isSafeInteger(micros) && isUid(uid) ? { micros, uid } : null
}

export type UserProgress = {
  modulesProgress: UserModuleProgress[]
  coursesProgress: UserCourseProgress[]
  lecturesProgress: { lectureUid: string; progressPercent: number; error: string | null }[]
}
export type UserModuleProgress = {
  moduleUid: string
  moduleName: string | null
  progressPercent: number
  highestScore: number | null
  error: string | null
}
export type UserCourseProgress = {
  courseUid: string
  courseName: string | null
  progressPercent: number
  error: string | null
  modulesProgress: UserModuleProgress[]
}

export type UserProgressInput = {
  userUid: string
  allStartedStudyUnits?: boolean | null
  moduleUids?: string[] | null
  courseUids?: string[] | null
  lectureUids?: string[] | null
  /** Ignored: percents are always up to date. */
  recalculate?: boolean | null
}

const maxUids = 1000

/**
 * Returns the progress of the viewer or, for admins, of anybody of the site. Items that the viewer cannot see and that
 * were never started are returned with an error.
 */
export async function userProgress(ctx: Ctx, input: UserProgressInput): Promise<UserProgress> {
  requireSelfOrAdmin(ctx, input.userUid)
  const user = await findUser(ctx, input.userUid)
  if (!user) throw new NotFound()
  const all = input.allStartedStudyUnits ?? false
  return {
    modulesProgress: await userModules(ctx, user.id, askedFor(input.moduleUids), all),
    coursesProgress: await userCourses(ctx, user.id, askedFor(input.courseUids), all),
    lecturesProgress: await userLectures(ctx, user.id, askedFor(input.lectureUids), all),
  }
}

function askedFor(uids: string[] | null | undefined): string[] {
  if (uids && uids.length > maxUids) throw new Invalid('Please ask for at most 1,000 items of each kind at once.')
  return uids ?? []
}

async function findUser(ctx: Ctx, uid: string): Promise<{ id: number } | undefined> {
  if (!isUid(uid)) return undefined
  return ctx.db
    .selectFrom('users')
    .select('id')
    .where('uid', '=', uid)
    .where('site_id', '=', ctx.site.id)
    .where('erased_at', 'is', null)
    .executeTakeFirst()
}

async function userModules(ctx: Ctx, userId: number, uids: string[], all: boolean): Promise<UserModuleProgress[]> {
  const known = uids.filter(isUid)
  if (known.length === 0 && !all) return missing(uids, new Set(), missingModule)
  const rows = await ctx.db
    .selectFrom('modules')
    .leftJoin('module_progress as p', (join) =>
      join.onRef('p.module_id', '=', 'modules.id').on('p.user_id', '=', userId),
    )
    .select(['modules.uid as moduleUid', 'modules.name as moduleName', 'p.progress_percent as percent'])
    .select(wholeScore.as('highestScore'))
    .where('modules.site_id', '=', ctx.site.id)
    .where('modules.deleted_at', 'is', null)
    .where((eb) => eb.or([eb('p.user_id', 'is not', null), isListed(ctx, 'modules')]))
    .where((eb) =>
      eb.or([sql<boolean>`modules.uid = any(${known}::uuid[])`, ...(all ? [eb('p.user_id', 'is not', null)] : [])]),
    )
    .orderBy('modules.name')
    .orderBy('modules.id')
    .limit(mostRows + 1)
    .execute()
  const found = wholeAnswer(rows).map(({ percent, ...row }) => ({ ...row, progressPercent: percent ?? 0, error: null }))
  return [...found, ...missing(uids, new Set(found.map((row) => row.moduleUid)), missingModule)]
}

function missingModule(moduleUid: string): UserModuleProgress {
  return { moduleUid, moduleName: null, progressPercent: 0, highestScore: null, error: 'Module not found.' }
}

function missing<T>(uids: string[], found: Set<string>, make: (uid: string) => T): T[] {
  return uids.filter((uid) => !found.has(uid.toLowerCase())).map(make)
}

/** The percent of a course is the mean over the modules of its published version, rounded down, computed on read. */
async function userCourses(ctx: Ctx, userId: number, uids: string[], all: boolean): Promise<UserCourseProgress[]> {
  const known = uids.filter(isUid)
  const missingCourse = (courseUid: string): UserCourseProgress => ({
    courseUid,
    courseName: null,
    progressPercent: 0,
    error: 'Course not found.',
    modulesProgress: [],
  })
  if (known.length === 0 && !all) return missing(uids, new Set(), missingCourse)
  const { rows } = await sql<{
    courseUid: string
    courseName: string
    moduleUid: string | null
    moduleName: string | null
    percent: number
    highestScore: number | null
  }>`
    select courses.uid as "courseUid", courses.name as "courseName", m.uid as "moduleUid", m.name as "moduleName",
      coalesce(p.progress_percent, 0) as percent, ${wholeScore} as "highestScore"
    from courses
    left join ${startedCourses(userId)} started on started.course_id = courses.id
    left join lateral ${orderedModulesOfVersion('courses.published_version_id', sql`${userId}::bigint`)} member on true
    left join modules m on m.id = member.id
    left join module_progress p on p.module_id = m.id and p.user_id = ${userId}
    where courses.site_id = ${ctx.site.id} and courses.deleted_at is null
      and (started.has_record or ${isListed(ctx, 'courses')})
      and (courses.uid = any(${known}::uuid[]) or (${all}::boolean and started.course_id is not null))
    order by courses.name, courses.id, member.position`.execute(ctx.db)
  const courses = new Map<string, UserCourseProgress>()
  for (const row of rows) {
    const course = courses.get(row.courseUid) ?? {
      ...missingCourse(row.courseUid),
      courseName: row.courseName,
      error: null,
    }
    courses.set(row.courseUid, course)
    if (!row.moduleUid) continue
    course.modulesProgress.push({
      moduleUid: row.moduleUid,
      moduleName: row.moduleName,
      progressPercent: row.percent,
      highestScore: row.highestScore,
      error: null,
    })
  }
  for (const course of courses.values()) {
    const sum = course.modulesProgress.reduce((total, module) => total + module.progressPercent, 0)
    course.progressPercent = course.modulesProgress.length === 0 ? 0 : Math.floor(sum / course.modulesProgress.length)
  }
  return [...courses.values(), ...missing(uids, new Set(courses.keys()), missingCourse)]
}

async function userLectures(
  ctx: Ctx,
  userId: number,
  uids: string[],
  all: boolean,
): Promise<UserProgress['lecturesProgress']> {
  const known = uids.filter(isUid)
  const missingLecture = (lectureUid: string) => ({ lectureUid, progressPercent: 0, error: 'Lecture not found.' })
  if (known.length === 0 && !all) return missing(uids, new Set(), missingLecture)
  const rows = await ctx.db
    .selectFrom('lectures')
    .leftJoin('lecture_progress as p', (join) =>
      join.onRef('p.lecture_id', '=', 'lectures.id').on('p.user_id', '=', userId),
    )
    .select(['lectures.uid as lectureUid', 'p.percent'])
    .where('lectures.site_id', '=', ctx.site.id)
    .where('lectures.deleted_at', 'is', null)
    .where((eb) => eb.or([eb('p.user_id', 'is not', null), isListed(ctx, 'lectures')]))
    .where((eb) =>
      eb.or([sql<boolean>`lectures.uid = any(${known}::uuid[])`, ...(all ? [eb('p.user_id', 'is not', null)] : [])]),
    )
    .orderBy('lectures.name')
    .orderBy('lectures.id')
    .limit(mostRows + 1)
    .execute()
  const found = wholeAnswer(rows).map(({ lectureUid, percent }) => ({
    lectureUid,
    progressPercent: percent ?? 0,
    error: null,
  }))
  return [...found, ...missing(uids, new Set(found.map((row) => row.lectureUid)), missingLecture)]
}
