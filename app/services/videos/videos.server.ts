/** Videos: short films of experts, case studies and animations, watched on their own. */
import { sql } from 'kysely'
import type { FilmPhase } from '~/forms/films.ts'
import type { VideoCategory } from '~/forms/videos.ts'
import { type Page, pageByName } from '~/lib/cursor.ts'
import { filmFileAddress } from '~/lib/film-address.ts'
import { isUid } from '~/lib/uid.ts'
import { isListed, isOpenable } from '../access/access.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { NotFound } from '../errors.ts'
import { readFilmWords, type Track, type Transcript } from '../films/watch-media.server.ts'
import { type PageInput, parsePage } from '../paging.ts'
import { inLibrary, libraryOrder, selectVideos, type VideoFilter, type VideoRow } from './queries.server.ts'

export type { VideoFilter } from './queries.server.ts'

export type Video = {
  uid: string
  name: string
  description: string
  /** Empty if there is none. */
  presenter: string
  category: VideoCategory
  status: 'draft' | 'published'
  isOpenable: boolean
  showsTerms: boolean
  phases: FilmPhase[]
  videoUrl: string
  /** In seconds; null if unknown. */
  duration: number | null
  cover: { imageUid: string } | null
  coverImgDesc: string
  updatedAt: Date
}

type VideoToWatch = Video & { tracks: Track[]; transcript: Transcript }
type VideoNeighbour = { uid: string; name: string }

const maxItems = 1000

/** Lists a page of the Video Library in its order, filtered by phase or category. */
export async function listVideoCards(
  ctx: Ctx,
  input: VideoFilter & { limit?: number; offset?: number } = {},
): Promise<Video[]> {
  const places = await inLibrary(ctx, input)
    .select('videos.id')
    .orderBy(libraryOrder)
    .limit(Math.min(input.limit ?? maxItems, maxItems))
    .offset(input.offset ?? 0)
    .execute()
  if (places.length === 0) return []
  const ids = places.map(({ id }) => id)
  const rows = await selectVideos(ctx).where(sql<boolean>`videos.id = any(${ids}::bigint[])`).execute()
  const videos = new Map(rows.map((row) => [row.id, toVideo(row)]))
  return ids.flatMap((id) => videos.get(id) ?? [])
}

/** Returns the given videos that the viewer may see, by uid. */
export async function listVideosByUid(ctx: Ctx, videoUids: string[]): Promise<Map<string, Video>> {
  const uids = videoUids.filter(isUid)
  if (uids.length === 0) return new Map()
  const rows = await selectVideos(ctx).where('videos.uid', 'in', uids).where(isListed(ctx, 'videos')).execute()
  return new Map(rows.map((row) => [row.uid, toVideo(row)]))
}

/** Counts the videos of each combination of phases and category, for the numbers in the filters. */
export async function countVideosByFilter(
  ctx: Ctx,
): Promise<{ phases: FilmPhase[]; category: VideoCategory; total: number }[]> {
  const rows = await inLibrary(ctx, {})
    .select(['videos.phases', 'videos.category', sql<number>`count(*)::int`.as('total')])
    .groupBy(['videos.phases', 'videos.category'])
    .execute()
  return rows as { phases: FilmPhase[]; category: VideoCategory; total: number }[]
}

export async function getVideo(ctx: Ctx, input: { videoUid: string }): Promise<Video> {
  const video = (await listVideosByUid(ctx, [input.videoUid])).get(input.videoUid.toLowerCase())
  if (!video) throw new NotFound()
  return video
}

/** Returns a video to watch, with its transcript in `language`. Throws NotFound if the viewer may not open it. */
export async function getVideoToWatch(
  ctx: Ctx,
  input: { videoUid: string; language?: string | null },
): Promise<VideoToWatch> {
  const row = isUid(input.videoUid)
    ? await selectVideos(ctx)
        .where('videos.uid', '=', input.videoUid)
        .where(isOpenable(ctx, 'videos'))
        .executeTakeFirst()
    : undefined
  if (!row) throw new NotFound()
  const words = await readFilmWords(ctx, { kind: 'video', uid: row.uid, language: input.language })
  return { ...toVideo(row), ...words }
}

/** Finds the previous and next video in the filtered list; null at either end. */
export async function findVideoNeighbours(
  ctx: Ctx,
  input: VideoFilter & { videoUid: string },
): Promise<{ previous: VideoNeighbour | null; next: VideoNeighbour | null }> {
  const order = sql`over (order by ${libraryOrder})`
  const list = inLibrary(ctx, input, 'openable').select([
    'videos.uid',
    sql<VideoNeighbour | null>`lag(jsonb_build_object('uid', videos.uid, 'name', videos.name)) ${order}`.as('previous'),
    sql<VideoNeighbour | null>`lead(jsonb_build_object('uid', videos.uid, 'name', videos.name)) ${order}`.as('next'),
  ])
  const row = isUid(input.videoUid)
    ? await ctx.db
        .selectFrom(list.as('list'))
        .select(['list.previous', 'list.next'])
        .where('list.uid', '=', input.videoUid)
        .executeTakeFirst()
    : undefined
  return row ?? { previous: null, next: null }
}

/** Lists all videos that the viewer may see, by name. */
export async function listVideos(ctx: Ctx, input: PageInput & VideoFilter = {}): Promise<Page<Video>> {
  requireViewer(ctx)
  const page = parsePage('videos', input, { phase: input.phase, category: input.category })
  const { first, after } = page
  let query = selectVideos(ctx).where(isListed(ctx, 'videos')).orderBy('videos.name').orderBy('videos.id')
  if (input.phase) query = query.where(sql<boolean>`${input.phase} = any(videos.phases)`)
  if (input.category) query = query.where('videos.category', '=', input.category)
  if (after) query = query.where(sql<boolean>`(videos.name, videos.id) > (${after.name}, ${after.id})`)
  const rows = await query.limit(first + 1).execute()
  return pageByName(page, rows, toVideo)
}

export async function countVideos(ctx: Ctx, input: VideoFilter = {}): Promise<number> {
  const { count } = await inLibrary(ctx, input)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

function toVideo({ id: _, coverImageUid, videoFileName, ...row }: VideoRow): Video {
  return {
    ...row,
    videoUrl: videoFileName === null ? row.videoUrl : filmFileAddress('video', row.uid, videoFileName),
    category: row.category as VideoCategory,
    status: row.status as Video['status'],
    phases: row.phases as FilmPhase[],
    isOpenable: row.status === 'published',
    cover: coverImageUid === null ? null : { imageUid: coverImageUid },
  }
}
