/**
 * Lectures: films with guiding questions and a transcript. They are visible while the flag LECTURES
 * is on; functions for the console (by name, by uid) show them to staff in any case. A Coming Soon lecture is listed
 * but cannot be opened, and only staff get the address of its film.
 */
import { sql } from 'kysely'
import type { FilmPhase } from '~/forms/films.ts'
import { type Page, pageByName } from '~/lib/cursor.ts'
import { filmFileAddress } from '~/lib/film-address.ts'
import { isUid } from '~/lib/uid.ts'
import { isListed, isManaged, isOpenable, seesDrafts } from '../access/access.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { NotFound } from '../errors.ts'
import { readFilmWords, type Track, type Transcript } from '../films/watch-media.server.ts'
import { type PageInput, parsePage } from '../paging.ts'
import { type CardRow, inPageOrder, type LectureRow, pageOrder, selectCards, selectLectures } from './queries.server.ts'

/** `videoUrl` and everything else that leads to the film are empty if the viewer may not open it. */
export type Lecture = Omit<LectureRow, 'id' | 'phases' | 'status' | 'videoFileName'> & {
  phases: FilmPhase[]
  status: 'draft' | 'published'
}

export type LectureCard = {
  uid: string
  name: string
  description: string
  presenter: string
  comingSoon: boolean
  isOpenable: boolean
  /** In seconds; null if unknown. */
  duration: number | null
  cover: { imageUid: string } | null
  coverImgDesc: string
  /** The step of the process, and the phase that determines the color. */
  step: string | null
  phase: string | null
}

type LectureToWatch = LectureCard & {
  questionsMarkdown: string
  videoUrl: string
  tracks: Track[]
  transcript: Transcript
}

type LectureNeighbour = { uid: string; name: string }

const maxItems = 1000

/** Lists the cards of the lectures page, of all phases or one. */
export async function listLectureCards(
  ctx: Ctx,
  input: { phase?: FilmPhase | null; limit?: number; offset?: number } = {},
): Promise<LectureCard[]> {
  const places = await inPageOrder(ctx, { phase: input.phase ?? null })
    .select('lectures.id')
    .orderBy(pageOrder)
    .limit(Math.min(input.limit ?? maxItems, maxItems))
    .offset(input.offset ?? 0)
    .execute()
  if (places.length === 0) return []
  const ids = places.map(({ id }) => id)
  const rows = await selectCards(ctx).where(sql<boolean>`lectures.id = any(${ids}::bigint[])`).execute()
  const cards = new Map(rows.map((row) => [row.id, toCard(row)]))
  return ids.flatMap((id) => cards.get(id) ?? [])
}

/** Returns cards of given lectures (saved, found) by uid. */
export async function listCardsOfLectures(ctx: Ctx, lectureUids: string[]): Promise<Map<string, LectureCard>> {
  const uids = lectureUids.filter(isUid)
  if (uids.length === 0) return new Map()
  const rows = await selectCards(ctx).where('lectures.uid', 'in', uids).where(isListed(ctx, 'lectures')).execute()
  return new Map(rows.map((row) => [row.uid, toCard(row)]))
}

type PhaseTotals = { all: number } & Record<FilmPhase, number>

/** Counts the lectures of the lectures page, in total and per phase. A lecture may belong to several phases. */
export async function countLecturesByPhase(ctx: Ctx): Promise<PhaseTotals> {
  return await inPageOrder(ctx, { phase: null })
    .select([
      sql<number>`count(*)::int`.as('all'),
      sql<number>`(count(*) filter (where 'Discover' = any(lectures.phases)))::int`.as('Discover'),
      sql<number>`(count(*) filter (where 'Develop' = any(lectures.phases)))::int`.as('Develop'),
      sql<number>`(count(*) filter (where 'Deliver' = any(lectures.phases)))::int`.as('Deliver'),
    ])
    .executeTakeFirstOrThrow()
}

/** Returns a lecture to watch, with its transcript in `language`. Throws NotFound if the viewer may not open it. */
export async function getLectureToWatch(
  ctx: Ctx,
  input: { lectureUid: string; language?: string | null },
): Promise<LectureToWatch> {
  const row = isUid(input.lectureUid)
    ? await selectCards(ctx)
        .where('lectures.uid', '=', input.lectureUid)
        .where(isOpenable(ctx, 'lectures'))
        .executeTakeFirst()
    : undefined
  if (!row) throw new NotFound()
  const words = await readFilmWords(ctx, { kind: 'lecture', uid: row.uid, language: input.language })
  return {
    ...toCard(row),
    questionsMarkdown: row.questionsMarkdown,
    videoUrl: videoUrlOf(row),
    ...words,
  }
}

/** Finds the previous and next lecture in the list that can be opened; null at either end. */
export async function findNeighbours(
  ctx: Ctx,
  input: { lectureUid: string; phase?: FilmPhase | null },
): Promise<{ previous: LectureNeighbour | null; next: LectureNeighbour | null }> {
  const order = sql`over (order by ${pageOrder})`
  const list = inPageOrder(ctx, { phase: input.phase ?? null, only: 'openable' }).select([
    'lectures.uid',
    sql<LectureNeighbour | null>`lag(jsonb_build_object('uid', lectures.uid, 'name', lectures.name)) ${order}`.as(
      'previous',
    ),
    sql<LectureNeighbour | null>`lead(jsonb_build_object('uid', lectures.uid, 'name', lectures.name)) ${order}`.as(
      'next',
    ),
  ])
  const row = isUid(input.lectureUid)
    ? await ctx.db
        .selectFrom(list.as('list'))
        .select(['list.previous', 'list.next'])
        .where('list.uid', '=', input.lectureUid)
        .executeTakeFirst()
    : undefined
  return row ?? { previous: null, next: null }
}

export async function getLecture(ctx: Ctx, input: { lectureUid: string }): Promise<Lecture> {
  const lecture = (await listLecturesByUid(ctx, [input.lectureUid])).get(input.lectureUid.toLowerCase())
  if (!lecture) throw new NotFound()
  return lecture
}

export async function listLecturesByUid(ctx: Ctx, lectureUids: string[]): Promise<Map<string, Lecture>> {
  const uids = lectureUids.filter(isUid)
  if (uids.length === 0) return new Map()
  const rows = await selectLectures(ctx).where('lectures.uid', 'in', uids).where(isManaged(ctx, 'lectures')).execute()
  return new Map(rows.map((row) => [row.uid, toLecture(ctx, row)]))
}

type ListInput = { publishedOnly?: boolean | null }

/** Lists all lectures that the viewer may see, by name. Staff also get drafts, unless `publishedOnly` is set. */
export async function listLectures(ctx: Ctx, input: PageInput & ListInput = {}): Promise<Page<Lecture>> {
  requireViewer(ctx)
  const page = parsePage('lectures', input, { publishedOnly: input.publishedOnly })
  const { first, after } = page
  let query = selectLectures(ctx).where(isManaged(ctx, 'lectures')).orderBy('lectures.name').orderBy('lectures.id')
  if (input.publishedOnly) query = query.where('lectures.status', '=', 'published')
  if (after) query = query.where(sql<boolean>`(lectures.name, lectures.id) > (${after.name}, ${after.id})`)
  const rows = await query.limit(first + 1).execute()
  return pageByName(page, rows, (row) => toLecture(ctx, row))
}

export async function countLectures(ctx: Ctx, input: ListInput = {}): Promise<number> {
  let query = ctx.db
    .selectFrom('lectures')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where(isManaged(ctx, 'lectures'))
  if (input.publishedOnly) query = query.where('lectures.status', '=', 'published')
  return (await query.executeTakeFirstOrThrow()).count
}

function toCard(row: CardRow): LectureCard {
  return {
    uid: row.uid,
    name: row.name,
    description: row.description,
    presenter: row.presenter,
    comingSoon: row.comingSoon,
    isOpenable: row.isOpenable,
    duration: row.duration,
    cover: row.coverImageUid === null ? null : { imageUid: row.coverImageUid },
    coverImgDesc: row.coverImgDesc,
    step: row.step,
    phase: row.frontendId ?? row.phases[0]?.toLowerCase() ?? null,
  }
}

function videoUrlOf({ uid, videoUrl, videoFileName }: LectureRow): string {
  return videoFileName === null ? videoUrl : filmFileAddress('lecture', uid, videoFileName)
}

function toLecture(ctx: Ctx, film: LectureRow): Lecture {
  const { id: _, videoFileName: __, ...row } = film
  const lecture = {
    ...row,
    videoUrl: videoUrlOf(film),
    phases: row.phases as FilmPhase[],
    status: row.status as Lecture['status'],
  }
  if (row.isOpenable || seesDrafts(ctx)) return lecture
  return { ...lecture, videoUrl: '', vimeoFullUrl: null, thumbnailUrl: null, questionsMarkdown: '' }
}
