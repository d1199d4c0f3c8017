/** What the home page offers next: what the viewer has begun or, for newcomers, a first course. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { isOpenable } from '../access/access.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { modulesOfVersion, retakingPercent, startedCourses } from '../progress/progress.server.ts'

export type ToContinue = {
  kind: 'module' | 'course' | 'lecture' | 'video'
  uid: string
  name: string
  percent: number
}

/**
 * Lists what the viewer has begun and can go on with, last visited first: modules in progress, completed modules that
 * are being retaken, courses whose next module is not begun, and films. Only what the viewer can open. A course that only
 * shares a module with the viewer's own is offered alone, if there is nothing else.
 */
export async function listToContinue(ctx: Ctx, input: { limit: number }): Promise<ToContinue[]> {
  const viewer = requireViewer(ctx)
  const films = (kind: 'lecture' | 'video') => sql`
    select ${kind}, ${sql.ref(`${kind}s.uid`)}, ${sql.ref(`${kind}s.name`)}::text, p.percent, p.updated_at, true
    from ${sql.table(`${kind}_progress`)} p
    join ${sql.table(`${kind}s`)} on ${sql.ref(`${kind}s.id`)} = p.${sql.ref(`${kind}_id`)}
    where p.user_id = ${viewer.id} and p.percent < 100 and ${isOpenable(ctx, `${kind}s`)}`
  const { rows } = await sql<ToContinue & { isOwn: boolean }>`
    select kind, uid, name, percent, "isOwn" from (
      select 'module' as kind, modules.uid, modules.name::text, p.progress_percent as percent, p.last_visited_at as at,
        true as "isOwn"
      from module_progress p
      join modules on modules.id = p.module_id
      where p.user_id = ${viewer.id} and ${isOpenable(ctx, 'modules')}
        and (p.progress_percent < 100 or ${retakingPercent} is not null)
      union all
      select 'course', courses.uid, courses.name::text, 0, greatest(p.started_at, place.at), p.has_record
      from ${startedCourses(viewer.id)} p
      join courses on courses.id = p.course_id
      cross join lateral (
        select max(done.last_visited_at) as at,
          bool_or(done.progress_percent is null) as has_next,
          coalesce(bool_or(done.progress_percent < 100), false) as has_open
        from ${modulesOfVersion('courses.published_version_id', sql`${viewer.id}::bigint`)} member
        left join module_progress done on done.module_id = member.id and done.user_id = ${viewer.id}) place
      where p.completed_at is null and place.has_next and not place.has_open and ${isOpenable(ctx, 'courses')}
      union all ${films('lecture')} union all ${films('video')}) begun
    order by "isOwn" desc, at desc nulls last, uid
    limit ${input.limit}`.execute(ctx.db)
  const own = rows.filter(({ isOwn }) => isOwn)
  return (own.length > 0 ? own : rows.slice(0, 1)).map(({ isOwn: _, ...item }) => item)
}

/** `chosen` is the answer in the questionnaire that led to the course; null if it is the first course of the catalog. */
export type FirstCourse = { uid: string; chosen: string | null }

/**
 * Finds the course to offer to somebody who has started nothing: the first of the catalog with a tag that belongs to one
 * of the viewer's answers (profile_option_tags), in the order of the questions, or else the first of the catalog. Only
 * courses that the viewer can open, with a module that can be opened. Takes one query.
 */
export async function findFirstCourse(ctx: Ctx): Promise<FirstCourse | null> {
  const viewer = requireViewer(ctx)
  const { rows } = await sql<FirstCourse>`
    select courses.uid, chosen.text as chosen
    from course_catalog_items item
    join courses on courses.id = item.course_id
    left join lateral (
      select option.text, question.position as question, option.position as option
      from user_answers answer
      join profile_questions question on question.id = answer.question_id and question.site_id = ${ctx.site.id}
      join user_answer_options picked on picked.answer_id = answer.id
      join profile_options option on option.id = picked.option_id
      join profile_option_tags wanted on wanted.option_id = option.id
      join tags on tags.site_id = ${ctx.site.id} and tags.text_key = lower(wanted.tag)
      join course_tags on course_tags.tag_id = tags.id and course_tags.course_id = courses.id
      where answer.user_id = ${viewer.id}
      order by question.position, question.id, option.position, option.id
      limit 1) chosen on true
    where ${isOpenable(ctx, 'courses')} and ${hasOpenModule(ctx)}
    order by chosen.question nulls last, chosen.option, item.rank, item.id
    limit 1`.execute(ctx.db)
  return rows[0] ?? null
}

function hasOpenModule(ctx: Ctx): RawBuilder<SqlBool> {
  return sql`exists (
    select from course_chapters chapter
    join course_chapter_modules spot on spot.chapter_id = chapter.id
    join modules on modules.id = spot.module_id and ${isOpenable(ctx, 'modules')}
    where chapter.version_id = courses.published_version_id)`
}
