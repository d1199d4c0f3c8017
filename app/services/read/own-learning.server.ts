/** What the learner area says about the viewer's own learning in sums: the ring in the bar, My Learning, the start of home. */
import { sql } from 'kysely'
import { isListed } from '../access/access.server.ts'
import { type Ctx, isAdmin, requireViewer } from '../context.ts'
import { hasAnsweredAll } from '../questionnaire/questionnaire.server.ts'
import type { FlagName } from '../sites/sites.server.ts'

export type OwnLearning = {
  /** The mean of all that was started, rounded down; null while nothing is. */
  percent: number | null
  inProgressCount: number
  completedCount: number
  /** Of those in progress the one visited last, if it can be opened. */
  lastModuleUid: string | null
  /** Features of the site that are on. */
  flags: FlagName[]
  /** Announcements on the dashboard that were not opened. */
  unreadCount: number
  /** Whether the profile questions that are required have all been answered; admins are not asked. */
  hasAnsweredAll: boolean
}

/** One query, since every page of the learner area asks. Modules that the viewer can no longer see do not count. */
export async function getOwnLearning(ctx: Ctx): Promise<OwnLearning> {
  const viewer = requireViewer(ctx)
  return ctx.db
    .selectFrom('module_progress as p')
    .innerJoin('modules', 'modules.id', 'p.module_id')
    .select([
      sql<number | null>`floor(avg(p.progress_percent))::int`.as('percent'),
      sql<number>`(count(*) filter (where p.progress_percent < 100))::int`.as('inProgressCount'),
      sql<number>`(count(*) filter (where p.progress_percent = 100))::int`.as('completedCount'),
      sql<string | null>`(array_agg(modules.uid order by p.last_visited_at desc) filter (
        where p.progress_percent < 100 and modules.published_version_id is not null and not modules.coming_soon))[1]`.as(
        'lastModuleUid',
      ),
      sql<FlagName[]>`array(
        select name from feature_flags where site_id = ${ctx.site.id} and is_on order by name)`.as('flags'),
      sql<number>`(
        select count(*)::int from announcement_recipients r join announcements a on a.id = r.announcement_id
        where r.user_id = ${viewer.id} and r.channel = 'dashboard' and r.state = 'sent' and r.opened_at is null
          and a.status = 'sent' and a.deleted_at is null)`.as('unreadCount'),
      (isAdmin(viewer)
        ? sql<boolean>`true`
        : sql<boolean>`(
            select ${hasAnsweredAll({ id: 'users.id', siteId: 'users.site_id' })} from users where users.id = ${viewer.id})`
      ).as('hasAnsweredAll'),
    ])
    .where('p.user_id', '=', viewer.id)
    .where(isListed(ctx, 'modules'))
    .executeTakeFirstOrThrow()
}

export type PhaseCount = {
  frontendId: string | null
  name: string | null
  description: string | null
  total: number
  completedCount: number
}

/** How many modules each section of the modules page has for this viewer, and how many of them are completed; without a section last. */
export async function countModulesBySection(ctx: Ctx): Promise<PhaseCount[]> {
  const viewer = requireViewer(ctx)
  // Counted by chapter, of which there are few, before anything is joined to the counts.
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

/** The module that a version belongs to, of any version, so that old links hold; null where the viewer may not see it. */
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
