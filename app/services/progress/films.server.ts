/**
 * Progress in lectures and videos. The page reports it while the film plays. The percent never falls, and 100 stays.
 */
import { sql } from 'kysely'
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

type FilmProgressInput = { percent: number; positionSeconds?: number | null }

export type FilmKind = 'lecture' | 'video'

const tables = {
  lecture: { films: 'lectures', progress: 'lecture_progress', column: 'lecture_id' },
  video: { films: 'videos', progress: 'video_progress', column: 'video_id' },
} as const satisfies Record<FilmKind, { films: ContentKind; progress: string; column: string }>

/**
 * Records progress. Without `positionSeconds` the position stays as it is, because the documented operation sends only
 * a percent.
 */
export async function recordFilmProgress(
  ctx: Ctx,
  input: FilmProgressInput & { kind: FilmKind; uid: string },
): Promise<FilmProgress> {
  const { viewerId, percent, position } = checked(ctx, input)
  if (!isUid(input.uid)) throw new NotFound()
  const { films, progress, column } = tables[input.kind]
  return inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<FilmProgress>`
      insert into ${sql.table(progress)} as p
        (user_id, ${sql.ref(column)}, site_id, percent, position_seconds, started_at, updated_at, completed_at)
      select ${viewerId}, ${sql.ref(`${films}.id`)}, ${sql.ref(`${films}.site_id`)}, ${percent}::integer,
        coalesce(${position}::float8, 0), ${ctx.now}::timestamptz, ${ctx.now}::timestamptz,
        case when ${percent} = 100 then ${ctx.now}::timestamptz end
      from ${sql.table(films)} where ${sql.ref(`${films}.uid`)} = ${input.uid} and ${isOpenable(ctx, films)}
      on conflict (user_id, ${sql.ref(column)}) do update set ${progressUpdate(ctx, position)}
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

const progressColumns = sql`p.percent, p.position_seconds as "positionSeconds", p.completed_at as "completedAt"`

function progressUpdate(ctx: Ctx, position: number | null) {
  return sql`
    percent = greatest(p.percent, excluded.percent),
    position_seconds = ${position === null ? sql`p.position_seconds` : sql`excluded.position_seconds`},
    completed_at = coalesce(p.completed_at, excluded.completed_at),
    updated_at = ${ctx.now}::timestamptz`
}

/** The longest position, a day, is longer than any film. */
const maxPositionSeconds = 86_400

function checked(ctx: Ctx, { percent, positionSeconds }: FilmProgressInput) {
  const viewer = requireViewer(ctx, 'write')
  if (!Number.isInteger(percent) || percent < 0 || percent > 100) {
    throw new Invalid('Progress must be a whole number from 0 to 100.', {}, 'progress.percent')
  }
  const position = positionSeconds ?? null
  if (position !== null && !(position >= 0 && position <= maxPositionSeconds)) {
    throw new Invalid('The position must be a number of seconds.', {}, 'progress.position')
  }
  return { viewerId: viewer.id, percent, position }
}
