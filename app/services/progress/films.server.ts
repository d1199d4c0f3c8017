/** How far somebody has come in lectures and videos. The page tells it as the film plays; percent never falls and 100 stays. */
import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { isOpenable } from '../access/access.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'
import { recordWatched } from '../users/users.server.ts'

export type FilmProgress = {
  percent: number
  /** Where it was left; 0 when only a percent is known. */
  positionSeconds: number
  completedAt: Date | null
}

export type FilmProgressInput = { percent: number; positionSeconds?: number | null }

/** `positionSeconds` left out keeps the place; a percent alone is what the documented operation sends. */
export async function recordLectureProgress(
  ctx: Ctx,
  input: FilmProgressInput & { lectureUid: string },
): Promise<FilmProgress> {
  const { viewerId, percent, position } = checked(ctx, input)
  if (!isUid(input.lectureUid)) throw new NotFound()
  return inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<FilmProgress>`
      insert into lecture_progress as p (user_id, lecture_id, site_id, percent, position_seconds, started_at, completed_at)
      select ${viewerId}, lectures.id, lectures.site_id, ${percent}::integer, coalesce(${position}::float8, 0),
        ${ctx.now}::timestamptz, case when ${percent} = 100 then ${ctx.now}::timestamptz end
      from lectures where lectures.uid = ${input.lectureUid} and ${isOpenable(ctx, 'lectures')}
      on conflict (user_id, lecture_id) do update set ${kept(ctx, position)}
      returning ${told}`.execute(ctx.db)
    const [progress] = rows
    if (!progress) throw new NotFound()
    await recordWatched(ctx, { kind: 'lecture', uid: input.lectureUid })
    return progress
  })
}

export async function recordVideoProgress(
  ctx: Ctx,
  input: FilmProgressInput & { videoUid: string },
): Promise<FilmProgress> {
  const { viewerId, percent, position } = checked(ctx, input)
  if (!isUid(input.videoUid)) throw new NotFound()
  return inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<FilmProgress>`
      insert into video_progress as p (user_id, video_id, site_id, percent, position_seconds, started_at, completed_at)
      select ${viewerId}, videos.id, videos.site_id, ${percent}::integer, coalesce(${position}::float8, 0),
        ${ctx.now}::timestamptz, case when ${percent} = 100 then ${ctx.now}::timestamptz end
      from videos where videos.uid = ${input.videoUid} and ${isOpenable(ctx, 'videos')}
      on conflict (user_id, video_id) do update set ${kept(ctx, position)}
      returning ${told}`.execute(ctx.db)
    const [progress] = rows
    if (!progress) throw new NotFound()
    await recordWatched(ctx, { kind: 'video', uid: input.videoUid })
    return progress
  })
}

/** For cards and viewers: the viewer's own, by uid. What was never begun is not in it. */
export async function findOwnLecturesProgress(
  ctx: Ctx,
  input: { lectureUids: string[] },
): Promise<Map<string, FilmProgress>> {
  const uids = input.lectureUids.filter(isUid)
  if (!ctx.viewer || uids.length === 0) return new Map()
  const rows = await ctx.db
    .selectFrom('lecture_progress as p')
    .innerJoin('lectures', 'lectures.id', 'p.lecture_id')
    .select(['lectures.uid', 'p.percent', 'p.position_seconds as positionSeconds', 'p.completed_at as completedAt'])
    .where('p.user_id', '=', ctx.viewer.id)
    .where(sql<boolean>`lectures.uid = any(${uids}::uuid[])`)
    .execute()
  return new Map(rows.map(({ uid, ...progress }) => [uid, progress]))
}

export async function findOwnVideosProgress(
  ctx: Ctx,
  input: { videoUids: string[] },
): Promise<Map<string, FilmProgress>> {
  const uids = input.videoUids.filter(isUid)
  if (!ctx.viewer || uids.length === 0) return new Map()
  const rows = await ctx.db
    .selectFrom('video_progress as p')
    .innerJoin('videos', 'videos.id', 'p.video_id')
    .select(['videos.uid', 'p.percent', 'p.position_seconds as positionSeconds', 'p.completed_at as completedAt'])
    .where('p.user_id', '=', ctx.viewer.id)
    .where(sql<boolean>`videos.uid = any(${uids}::uuid[])`)
    .execute()
  return new Map(rows.map(({ uid, ...progress }) => [uid, progress]))
}

const told = sql`p.percent, p.position_seconds as "positionSeconds", p.completed_at as "completedAt"`

function kept(ctx: Ctx, position: number | null) {
  return sql`
    percent = greatest(p.percent, excluded.percent),
    position_seconds = ${position === null ? sql`p.position_seconds` : sql`excluded.position_seconds`},
    completed_at = coalesce(p.completed_at, excluded.completed_at),
    updated_at = ${ctx.now}::timestamptz`
}

/** A day of film is more than anybody shows. */
const longest = 86_400

function checked(ctx: Ctx, { percent, positionSeconds }: FilmProgressInput) {
  const viewer = requireViewer(ctx)
  if (!Number.isInteger(percent) || percent < 0 || percent > 100) {
    throw new Invalid('Progress is a whole number from 0 to 100.', {}, 'progress.percent')
  }
  const position = positionSeconds ?? null
  if (position !== null && !(position >= 0 && position <= longest)) {
    throw new Invalid('A position is a number of seconds.', {}, 'progress.position')
  }
  return { viewerId: viewer.id, percent, position }
}
