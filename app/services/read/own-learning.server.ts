/** Totals of the viewer's own learning, for the ring in the bar, My Learning and the top of the home page. */
import { type RawBuilder, sql } from 'kysely'
import { isForPerson, isListed, isShownOnceStarted } from '../access/access.server.ts'
import { isSentToViewer } from '../access/announcements.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { isStartedCourseShown, retakingPercent, startedCourses } from '../progress/progress.server.ts'
import type { FlagName } from '../sites/sites.server.ts'

export type OwnLearning = FrameFigures & {
  /** The mean of everything started, rounded down; null if nothing was started. */
  percent: number | null
  /** Includes completed modules that are being retaken, which count as completed too. */
  inProgressCount: number
  completedCount: number
}

/** What the frame of every page needs, also in the console. */
export type FrameFigures = {
  /** The features that the site has switched on. */
  flags: FlagName[]
  /** The number of unread announcements on the dashboard; 0 if the site has no announcements. */
  unreadCount: number
}

/**
 * Returns the totals with a single query, because every page of the learner area needs them. What the viewer's plan no
 * longer includes still counts; content that is no longer published does not. The percent includes only modules and courses; lectures and videos are only
 * counted.
 */
export async function getOwnLearning(ctx: Ctx): Promise<OwnLearning> {
  const viewer = requireViewer(ctx)
  const { rows } = await sql<OwnLearning>`
    select floor(avg(percent))::int as percent,
      (count(*) filter (where is_open))::int as "inProgressCount",
      (count(*) filter (where is_completed))::int as "completedCount",
      ${frameFigures(ctx)}
    from (${ownUnits(ctx, viewer.id)}) unit`.execute(ctx.db)
  const [own] = rows
  if (!own) throw new Error('An aggregate query must return one row')
  return own
}

/** Returns what the console's frame needs. It shows no progress, which takes many times as long to add up. */
export async function getFrameFigures(ctx: Ctx): Promise<FrameFigures> {
  requireViewer(ctx)
  const { rows } = await sql<FrameFigures>`select ${frameFigures(ctx)}`.execute(ctx.db)
  const [figures] = rows
  if (!figures) throw new Error('A query without a table must return one row')
  return figures
}

const frameFigures = (ctx: Ctx) => sql`
  array(select name from feature_flags where site_id = ${ctx.site.id} and is_on order by name) as flags,
  (select count(*)::int from announcement_recipients r join announcements a on a.id = r.announcement_id
    where r.opened_at is null and ${isSentToViewer(ctx)}) as "unreadCount"`

/**
 * Selects everything that the viewer has started, as far as My Learning shows it. A completed course stays completed when its next
 * version contains more.
 */
function ownUnits(ctx: Ctx, viewerId: number): RawBuilder<unknown> {
  const films = (kind: 'lecture' | 'video') => sql`
    select null::int, p.percent = 100, p.percent < 100
    from ${sql.table(`${kind}_progress`)} p
    join ${sql.table(`${kind}s`)} on ${sql.ref(`${kind}s.id`)} = p.${sql.ref(`${kind}_id`)}
    where p.user_id = ${viewerId} and ${isShownOnceStarted(ctx, `${kind}s`)}`
  return sql`
    select p.progress_percent as percent, p.progress_percent = 100 as is_completed,
      p.progress_percent < 100 or ${retakingPercent} is not null as is_open
    from module_progress p join modules on modules.id = p.module_id
    where p.user_id = ${viewerId} and ${isShownOnceStarted(ctx, 'modules')}
    union all
    select own.percent, own.percent = 100, own.percent < 100 from (${coursePercents(ctx, viewerId)}) own
    union all ${films('lecture')} union all ${films('video')}`
}

/**
 * Selects the percent of each course that the viewer has started: the same as `percentOf`, in one pass
 * for all courses. Every page needs it, and asking course by course takes twice as long.
 */
function coursePercents(ctx: Ctx, viewerId: number): RawBuilder<{ percent: number }> {
  return sql`
    with started as materialized (
      select p.course_id, p.completed_at, courses.published_version_id
      from ${startedCourses(viewerId)} p join courses on courses.id = p.course_id
      where ${isStartedCourseShown(ctx)}
    ), member as (
      select distinct started.course_id, modules.id
      from started
      join course_chapters chapter on chapter.version_id = started.published_version_id
      join course_chapter_modules spot on spot.chapter_id = chapter.id
      join modules on modules.id = spot.module_id and ${isForPerson('modules', sql`${viewerId}::bigint`)}
      where started.completed_at is null
    )
    select case when started.completed_at is not null then 100
      else coalesce(floor(avg(coalesce(done.progress_percent, 0)) filter (where member.id is not null))::int, 0)
      end as percent
    from started
    left join member on member.course_id = started.course_id
    left join module_progress done on done.module_id = member.id and done.user_id = ${viewerId}
    group by started.course_id, started.completed_at`
}

export type PhaseCount = {
  frontendId: string | null
  name: string | null
  description: string | null
  total: number
  completedCount: number
}

/**
 * Counts the viewer's modules and completed modules in each section of the modules page. Modules without a section come
 * last.
 */
export async function countModulesBySection(ctx: Ctx): Promise<PhaseCount[]> {
  const viewer = requireViewer(ctx)
  // Counts by chapter first, because there are few chapters to join.
  const counts = ctx.db
    .selectFrom('modules')
    .leftJoin('module_chapters', 'module_chapters.module_id', 'modules.id')
    .leftJoin('module_progress as p', (join) =>
      join.onRef('p.module_id', '=', 'modules.id').on('p.user_id', '=', viewer.id),
    )
    .select([
      'module_chapters.chapter_id as chapterId',
      sql<number>`count(*)`.as('total'),
      sql<number>`count(*) filter (where p.progress_percent = 100)`.as('completedCount'),
    ])
    .where('modules.in_self_study', '=', true)
    .where(isListed(ctx, 'modules'))
    .groupBy('module_chapters.chapter_id')
  return ctx.db
    .selectFrom(counts.as('counts'))
    .leftJoin('chapters', 'chapters.id', 'counts.chapterId')
    .leftJoin('sections', 'sections.id', 'chapters.section_id')
    .select([
      'sections.frontend_id as frontendId',
      'sections.name',
      'sections.description',
      sql<number>`sum(counts.total)::int`.as('total'),
      sql<number>`sum(counts."completedCount")::int`.as('completedCount'),
    ])
    .groupBy('sections.id')
    .orderBy('sections.position', (order) => order.asc().nullsLast())
    .execute()
}

/** Finds the module of any of its versions, so that old links work. Returns null if the viewer may not see it. */
export async function findModuleUidOfVersion(ctx: Ctx, input: { versionUid: string }): Promise<string | null> {
  const row = await ctx.db
    .selectFrom('module_versions as v')
    .innerJoin('modules', 'modules.id', 'v.module_id')
    .select('modules.uid')
    .where('v.uid', '=', input.versionUid)
    .where(isListed(ctx, 'modules'))
    .executeTakeFirst()
  return row?.uid ?? null
}
