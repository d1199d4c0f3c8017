/**
 * Progress in lectures and videos. The page reports what was played, a program reports a percent. What is reported from
 * several windows or devices is joined. The percent never falls, and 100 stays (docs/decisions/009).
 */
import { type RawBuilder, sql } from 'kysely'
import { type Played, percentPlayed, readPlayed, wholeFilm } from '~/lib/played.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type ContentKind, isOpenable } from '../access/access.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'
import { recordWatched } from '../users/users.server.ts'

export type FilmProgress = {
  percent: number
  /** Where the viewer stopped; 0 if only a percent is known. */
  positionSeconds: number
  completedAt: Date | null
}

/** Either a percent or what was played, as `writePlayed` writes it. A length that is unknown is null. */
type FilmProgressInput = { positionSeconds?: number | null } & (
  | { percent: number }
  | { played: string; durationSeconds: number | null }
)

export type FilmKind = 'lecture' | 'video'

const tables = {
  lecture: { films: 'lectures', progress: 'lecture_progress', column: 'lecture_id' },
  video: { films: 'videos', progress: 'video_progress', column: 'video_id' },
} as const satisfies Record<FilmKind, { films: ContentKind; progress: string; column: string }>

/** More parts than anybody leaves by jumping about. Further ones are not stored. */
const maxStoredParts = 2000

/**
 * Records progress. Without `positionSeconds` the position stays as it is, because the documented operation sends only
 * a percent.
 */
export async function recordFilmProgress(
  ctx: Ctx,
  input: FilmProgressInput & { kind: FilmKind; uid: string },
): Promise<FilmProgress> {
  const { viewerId, percent, played, duration, position } = checked(ctx, input)
  if (!isUid(input.uid)) throw new NotFound()
  const { films, progress, column } = tables[input.kind]
  return inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<FilmProgress>`
      insert into ${sql.table(progress)} as p
        (user_id, ${sql.ref(column)}, site_id, percent, position_seconds, played, started_at, updated_at, completed_at)
      select ${viewerId}, ${sql.ref(`${films}.id`)}, ${sql.ref(`${films}.site_id`)}, ${percent}::integer,
        coalesce(${position}::float8, 0), ${played}::int4multirange, ${ctx.now}::timestamptz, ${ctx.now}::timestamptz,
        case when ${percent} = 100 then ${ctx.now}::timestamptz end
      from ${sql.table(films)} where ${sql.ref(`${films}.uid`)} = ${input.uid} and ${isOpenable(ctx, films)}
      on conflict (user_id, ${sql.ref(column)}) do update set ${progressUpdate(ctx, position, duration)}
      returning ${progressColumns}`.execute(ctx.db)
    const [now] = rows
    if (!now) throw new NotFound()
    await recordWatched(ctx, { kind: input.kind, uid: input.uid })
    return now
  })
}

/** Returns the viewer's own progress by uid, for cards and players. Films that were never started are missing. */
export async function findOwnFilmsProgress(
  ctx: Ctx,
  input: { kind: FilmKind; uids: string[] },
): Promise<Map<string, FilmProgress>> {
  const uids = input.uids.filter(isUid)
  if (!ctx.viewer || uids.length === 0) return new Map()
  const { films, progress, column } = tables[input.kind]
  const { rows } = await sql<FilmProgress & { uid: string }>`
    select film.uid, ${progressColumns} from ${sql.table(progress)} p join ${sql.table(films)} film on film.id = p.${sql.ref(column)}
    where p.user_id = ${ctx.viewer.id} and film.uid = any(${uids}::uuid[])`.execute(ctx.db)
  return new Map(rows.map(({ uid, ...progress }) => [uid, progress]))
}

/** Returns what the viewer played of a film. */
export async function findOwnPlayed(ctx: Ctx, input: { kind: FilmKind; uid: string }): Promise<Played> {
  if (!ctx.viewer || !isUid(input.uid)) return []
  const { films, progress, column } = tables[input.kind]
  const { rows } = await sql<{ part: [number, number] }>`
    select jsonb_build_array(lower(part), upper(part)) as part
    from ${sql.table(progress)} p join ${sql.table(films)} film on film.id = p.${sql.ref(column)}, unnest(p.played) part
    where p.user_id = ${ctx.viewer.id} and film.uid = ${input.uid}
    order by lower(part) limit ${maxStoredParts}`.execute(ctx.db)
  return rows.map(({ part }) => part)
}

const progressColumns = sql`p.percent, p.position_seconds as "positionSeconds", p.completed_at as "completedAt"`

function progressUpdate(ctx: Ctx, position: number | null, duration: number | null) {
  const joined = sql`p.played + excluded.played`
  const percent = sql`greatest(p.percent, excluded.percent, ${percentOf(joined, duration)})`
  return sql`
    percent = ${percent},
    played = case when (select count(*) from unnest(${joined})) <= ${maxStoredParts} then ${joined} else p.played end,
    position_seconds = ${position === null ? sql`p.position_seconds` : sql`excluded.position_seconds`},
    completed_at = coalesce(p.completed_at, case when ${percent} = 100 then ${ctx.now}::timestamptz end),
    updated_at = ${ctx.now}::timestamptz`
}

/** The same as `percentPlayed`. */
function percentOf(played: RawBuilder<unknown>, duration: number | null) {
  if (duration === null) return sql`0`
  return sql`(
    select case when share >= ${wholeFilm} then 100 else floor(share * 100 + 1e-9)::integer end
    from (
      select coalesce(sum(upper(part) - lower(part)), 0) / ${duration * 10}::float8 as share
      from unnest(${played}) part) as shares)`
}

/** The longest film and the longest position: a day. */
const maxSeconds = 86_400

function checked(ctx: Ctx, input: FilmProgressInput) {
  const viewer = requireViewer(ctx, 'write')
  const position = input.positionSeconds ?? null
  if (position !== null && !(position >= 0 && position <= maxSeconds)) {
    throw new Invalid('The position must be a number of seconds.', {}, 'progress.position')
  }
  if (!('played' in input)) {
    const { percent } = input
    if (!Number.isInteger(percent) || percent < 0 || percent > 100) {
      throw new Invalid('Progress must be a whole number from 0 to 100.', {}, 'progress.percent')
    }
    return { viewerId: viewer.id, percent, played: '{}', duration: null, position }
  }
  const { durationSeconds: duration } = input
  if (duration !== null && !(duration >= 1 && duration <= maxSeconds)) {
    throw new Invalid('The length of the film must be between one second and one day.', {}, 'progress.duration')
  }
  const parts = readPlayed(input.played, duration)
  if (!parts) throw new Invalid('The played parts must be sorted and inside the film.', {}, 'progress.played')
  const percent = duration === null ? 0 : percentPlayed(parts, duration)
  const played = `{${parts.map(([from, to]) => `[${from},${to})`).join()}}`
  return { viewerId: viewer.id, percent, played, duration, position }
}
