/**
 * Plays: one row for each time that somebody watches a film, for reports. Computed from the events that the page sends.
 */
import { sql } from 'kysely'
import { homes } from '~/config/home.ts'
import { type VideoEventName, videoEvents } from '~/forms/video-events.ts'
import { isUid } from '~/lib/uid.ts'
import { isPlayable } from '../access/access.server.ts'
import type { Ctx, Viewer } from '../context.ts'

type Properties = Record<string, string | number | boolean | null>
type Subject = { subject: 'video' | 'lecture' | 'home'; uid: string | null; title: string }

/** A viewer who returns within this time continues the same play. */
const openFor = '30 minutes'
/** A playing film sends an event every ten seconds. A longer gap does not count as watched. */
const mostBetween = 15

/**
 * Records an event in the play of its film, in the caller's transaction. Ignores events that belong to no film of this
 * site.
 */
export async function recordPlay(
  ctx: Ctx,
  viewer: Viewer,
  event: VideoEventName,
  properties: Properties,
): Promise<void> {
  const film = await subjectOf(ctx, properties)
  if (!film) return
  const percent = percentOf(properties.video_percent)
  const isCompleted = event === videoEvents.completed
  // Before it started or resumed, the film was not playing.
  const isRunning = event !== videoEvents.started && event !== videoEvents.resumed
  const key = `play|${viewer.id}|${film.uid ?? film.title}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(ctx.db)
  await sql`
    with extended as (
      update video_plays set
        last_at = ${ctx.now}::timestamptz,
        seconds = seconds + case when ${isRunning}
          then least(greatest(extract(epoch from ${ctx.now}::timestamptz - last_at), 0), ${mostBetween}) else 0 end,
        max_percent = greatest(max_percent, ${percent}),
        completed_at = coalesce(completed_at, case when ${isCompleted} then ${ctx.now}::timestamptz end)
      where id = (
        select id from video_plays
        where user_id = ${viewer.id} and subject = ${film.subject} and subject_uid is not distinct from ${film.uid}::uuid
          and (${film.uid}::uuid is not null or title = ${film.title})
          and last_at > ${ctx.now}::timestamptz - ${openFor}::interval
        order by last_at desc limit 1)
      returning id)
    insert into video_plays (site_id, user_id, subject, subject_uid, title, started_at, last_at, max_percent, completed_at)
    select ${ctx.site.id}, ${viewer.id}, ${film.subject}, ${film.uid}::uuid, ${film.title}, ${ctx.now}::timestamptz,
      ${ctx.now}::timestamptz, ${percent}, case when ${isCompleted} then ${ctx.now}::timestamptz end
    where not exists (select from extended)`.execute(ctx.db)
}

/**
 * Finds the film by the uid in the event, or by the key of a film on the site's home page. Uses the film's own title,
 * not the one in the event.
 */
async function subjectOf(ctx: Ctx, { video_uid: uid }: Properties): Promise<Subject | null> {
  if (typeof uid !== 'string') return null
  if (!isUid(uid)) return homeFilm(ctx, uid)
  const { rows } = await sql<Subject>`
    select 'lecture' as subject, uid, name as title from lectures where uid = ${uid} and ${isPlayable(ctx, 'lectures')}
    union all
    select 'video', uid, name from videos where uid = ${uid} and ${isPlayable(ctx, 'videos')}`.execute(ctx.db)
  return rows[0] ?? null
}

function homeFilm(ctx: Ctx, key: string): Subject | null {
  const { welcome, phases } = homes[ctx.site.key]
  const film = [welcome, ...phases.map((phase) => phase.film)].find((one) => one.key === key)
  return film ? { subject: 'home', uid: null, title: film.title } : null
}

/** Converts the fraction in the event to a percent. */
function percentOf(fraction: Properties[string] | undefined): number {
  return typeof fraction === 'number' ? Math.floor(Math.min(Math.max(fraction, 0), 1) * 100) : 0
}
