import { sql } from 'kysely'
import { lockClasses } from '~db/advisory-locks.ts'
import type { SystemCtx } from '../context.ts'
import { modulesOfVersion } from './course-modules.ts'

/**
 * A change of a learner's progress in a module, computed from one registration. cmi5 records it while it holds the lock
 * of that registration.
 */
type ModuleProgressChange = {
  registrationUid: string
  percent: number
  highestScore: number | null
  startedAt: Date | null
  lastVisitedAt: Date | null
  completedAt: Date | null
}

/**
 * Records the maximum over all registrations of a learner and a module, so that no value ever falls. Ignores previews.
 */
export async function recordModuleProgress(ctx: SystemCtx, change: ModuleProgressChange): Promise<void> {
  const startedAt = change.startedAt ?? ctx.now
  await sql`
    insert into module_progress as p
      (user_id, module_id, site_id, started_at, last_visited_at, progress_percent, highest_score, completed_at)
    select user_id, module_id, site_id, ${startedAt}::timestamptz, ${change.lastVisitedAt ?? startedAt}::timestamptz,
      ${change.percent}::integer, ${change.highestScore}::double precision, ${change.completedAt}::timestamptz
    from registrations where uid = ${change.registrationUid} and not is_preview
    on conflict (user_id, module_id) do update set
      started_at = ${change.startedAt ? sql`least(p.started_at, excluded.started_at)` : sql`p.started_at`},
      last_visited_at = ${change.lastVisitedAt ? sql`greatest(p.last_visited_at, excluded.last_visited_at)` : sql`p.last_visited_at`},
      progress_percent = greatest(p.progress_percent, excluded.progress_percent),
      highest_score = greatest(p.highest_score, excluded.highest_score),
      completed_at = coalesce(p.completed_at, excluded.completed_at)`.execute(ctx.db)
  if (change.completedAt)
    await completeCourses(ctx, { registrationUid: change.registrationUid, at: change.completedAt })
}

/**
 * Completes the courses whose last module of the published version is now complete. Two modules of one learner that are
 * completed at the same time must see each other, so one waits for the other.
 */
async function completeCourses(ctx: SystemCtx, input: { registrationUid: string; at: Date }): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(${lockClasses.completion}, hashtext(user_id::text)) from registrations
    where uid = ${input.registrationUid}`.execute(ctx.db)
  await sql`
    insert into course_progress as p (user_id, course_id, site_id, started_at, completed_at, course_version_id)
    select r.user_id, c.id, c.site_id, min(done.started_at), ${input.at}::timestamptz, c.published_version_id
    from registrations r
    join courses c on c.site_id = r.site_id and c.deleted_at is null
    cross join lateral ${modulesOfVersion('c.published_version_id', sql`r.user_id`)} member
    left join module_progress done on done.user_id = r.user_id and done.module_id = member.id
      and done.completed_at is not null
    where r.uid = ${input.registrationUid} and c.published_version_id in (
      select ch.version_id from course_chapters ch
      join course_chapter_modules m on m.chapter_id = ch.id
      where m.module_id = r.module_id)
    group by r.user_id, c.id, c.site_id, c.published_version_id
    having count(*) = count(done.module_id)
    order by c.id
    on conflict (user_id, course_id) do update set
      completed_at = coalesce(p.completed_at, excluded.completed_at),
      course_version_id = case when p.completed_at is null then excluded.course_version_id else p.course_version_id end`.execute(
    ctx.db,
  )
}

export type AnswerRow = {
  seq: number
  answeredAt: Date
  kind: 'quiz' | 'survey'
  questionIri: string
  question: string | null
  interactionType: string | null
  response: string | null
  isCorrect: boolean | null
  score: number | null
}

export async function recordAnswers(
  ctx: SystemCtx,
  input: { registrationUid: string; answers: AnswerRow[] },
): Promise<void> {
  if (input.answers.length === 0) return
  await sql`
    insert into question_answers (seq, site_id, user_id, module_id, registration_id, kind, question_iri, question,
      interaction_type, response, is_correct, score_scaled, answered_at)
    select a.seq, r.site_id, r.user_id, r.module_id, r.id, a.kind, a."questionIri", a.question, a."interactionType",
      a.response, a."isCorrect", a.score, a."answeredAt"
    from registrations r, jsonb_to_recordset(${JSON.stringify(input.answers)}::jsonb) as a (
      seq bigint, "answeredAt" timestamptz, kind text, "questionIri" text, question text, "interactionType" text,
      response text, "isCorrect" boolean, score double precision)
    where r.uid = ${input.registrationUid} and not r.is_preview
    on conflict (seq) do nothing`.execute(ctx.db)
}

/**
 * Deletes all progress that was computed from the statements of these learners and modules, before it is recomputed.
 */
export async function clearModuleProgress(ctx: SystemCtx, input: { registrationUids: string[] }): Promise<void> {
  await sql`
    with r as (select id, user_id, module_id from registrations where uid = any(${input.registrationUids}::uuid[])),
    answers as (delete from question_answers where registration_id in (select id from r))
    delete from module_progress p using (select distinct user_id, module_id from r) pairs
    where p.user_id = pairs.user_id and p.module_id = pairs.module_id`.execute(ctx.db)
}

/**
 * Corrects when a learner completed the courses with this module, after its progress was recomputed: when the last
 * module of the completed version was completed, or not at all.
 */
export async function correctCourseCompletions(
  ctx: SystemCtx,
  { userId, moduleId }: { userId: number; moduleId: number },
): Promise<void> {
  await sql`
    update course_progress p
    set completed_at = done.at, course_version_id = case when done.at is not null then p.course_version_id end
    from (
      select own.course_id,
        case when count(*) = count(module.completed_at) then max(module.completed_at) end as at
      from course_progress own
      cross join lateral ${modulesOfVersion('own.course_version_id', sql`own.user_id`)} member
      left join module_progress module on module.user_id = own.user_id and module.module_id = member.id
      where own.user_id = ${userId} and own.completed_at is not null
      group by own.course_id
      having bool_or(member.id = ${moduleId})
    ) done
    where p.user_id = ${userId} and p.course_id = done.course_id and p.completed_at is distinct from done.at`.execute(
    ctx.db,
  )
}
