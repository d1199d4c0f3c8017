/** Lectures and videos as learners see them: their addresses and filters, and cards with the viewer's progress. */

import type { FilmView } from '~/components/media/view.ts'
import type { FilmPhase } from '~/forms/films.ts'
import { categoryNames, type VideoCategory, videoCategories } from '~/forms/videos.ts'
import { brandOf } from '~/http/context.server.ts'
import { notFoundPage, type Refusal, text } from '~/http/respond.server.ts'
import { coverAddress } from '~/lib/cover.ts'
import { imageAddress } from '~/lib/file-address.ts'
import { pageNumber } from '~/lib/table-query.ts'
import type { Ctx } from '~/services/context.ts'
import { findSaved } from '~/services/favorites/favorites.server.ts'
import type { LectureCard } from '~/services/lectures/lectures.server.ts'
import { type FilmProgress, findOwnFilmsProgress } from '~/services/progress/progress.server.ts'
import { type FlagName, listFeatureFlags } from '~/services/sites/sites.server.ts'
import type { Video } from '~/services/videos/videos.server.ts'

const phases: Record<string, FilmPhase> = { discover: 'Discover', develop: 'Develop', deliver: 'Deliver' }

/**
 * Reads the filters from the address and ignores values that make no sense. `query` holds the filters for use in other
 * addresses.
 */
export function readFilmFilter(request: Request) {
  const { searchParams } = new URL(request.url)
  const phaseKey = searchParams.get('phase') ?? ''
  const phase = Object.hasOwn(phases, phaseKey) ? (phases[phaseKey] ?? null) : null
  const category: VideoCategory | null = videoCategories.find((one) => one === searchParams.get('category')) ?? null
  const page = pageNumber(searchParams.get('page'))
  return { phase, category, page, query: queryOf(phase, category) }
}

/** Where somebody watched on while signed out (`?at=62`), in seconds; 0 if the address does not say. */
export function readPlace(request: Request): number {
  const at = new URL(request.url).searchParams.get('at') ?? ''
  return /^\d{1,5}$/.test(at) ? Number(at) : 0
}

/** The language in which somebody reads the transcript (`?transcript=de`); null if the address does not say. */
export function readTranscriptLanguage(request: Request): string | null {
  return new URL(request.url).searchParams.get('transcript')
}

/** Writes the filters and the page of the list that a film was opened from as a query string. */
export function queryOf(phase: FilmPhase | null, category: VideoCategory | null, page = 1): string {
  return new URLSearchParams({
    ...(phase && { phase: phase.toLowerCase() }),
    ...(category && { category }),
    ...(page > 1 && { page: String(page) }),
  }).toString()
}

/** Throws 404 if the feature is off for this site, also for staff. */
export async function requireFeature(ctx: Ctx, name: FlagName): Promise<void> {
  if (!(await listFeatureFlags(ctx)).includes(name)) throw notFoundPage()
}

/**
 * Reads the progress that a film sent: what was played, or a percent from a page of an older build. Anything that is not
 * a number becomes NaN, which the service refuses with a message.
 */
export function readProgress(form: FormData) {
  const number = (name: string) => (text(form, name) === '' ? null : Number(text(form, name)))
  const positionSeconds = number('position')
  if (!form.has('played')) return { percent: number('percent') ?? Number.NaN, positionSeconds }
  return { played: text(form, 'played'), durationSeconds: number('duration'), positionSeconds }
}

/** Returns the cover, or a drawing if the film has no cover. */
export function posterOf(ctx: Ctx, film: Pick<FilmView, 'name' | 'phase' | 'cover'>): string {
  return film.cover?.address ?? coverAddress(film.name, film.phase ?? 'discover', brandOf(ctx).palette)
}

/** Answers a request without a page: 204, or the message and status of a refusal. */
export function answerOf(refused: null | { data: Refusal; init: ResponseInit | null }): Response {
  if (refused === null) return new Response(null, { status: 204 })
  return Response.json({ message: refused.data.message }, refused.init ?? {})
}

/** Adds the viewer's progress and saved state to cards, with two queries for all of them. */
export async function viewsOfLectures(ctx: Ctx, cards: LectureCard[]): Promise<FilmView[]> {
  const uids = cards.map(({ uid }) => uid)
  const [progress, saved] = await Promise.all([
    findOwnFilmsProgress(ctx, { kind: 'lecture', uids }),
    findSaved(ctx, { type: 'lecture', uids }),
  ])
  return cards.map((card) => ({
    ...viewOf(card, progress.get(card.uid), saved),
    kind: 'lecture',
    eyebrow: card.step,
    presenter: card.presenter,
    phase: phaseOf(card.phase),
    isComingSoon: card.comingSoon,
  }))
}

export async function viewsOfVideos(ctx: Ctx, videos: Video[]): Promise<FilmView[]> {
  const uids = videos.map(({ uid }) => uid)
  const [progress, saved] = await Promise.all([
    findOwnFilmsProgress(ctx, { kind: 'video', uids }),
    findSaved(ctx, { type: 'video', uids }),
  ])
  return videos.map((video) => ({
    ...viewOf(video, progress.get(video.uid), saved),
    kind: 'video',
    eyebrow: categoryNames[video.category],
    presenter: video.presenter,
    phase: phaseOf(video.phases[0]?.toLowerCase()),
    isComingSoon: false,
  }))
}

type Card = Pick<LectureCard, 'uid' | 'name' | 'description' | 'cover' | 'coverImgDesc' | 'duration' | 'isOpenable'>

function viewOf(card: Card, progress: FilmProgress | undefined, saved: ReadonlySet<string>) {
  return {
    uid: card.uid,
    name: card.name,
    description: card.description,
    cover: card.cover && { address: imageAddress(card.cover.imageUid), alt: card.coverImgDesc },
    duration: card.duration,
    isOpenable: card.isOpenable,
    percent: progress?.percent ?? null,
    positionSeconds: progress?.positionSeconds ?? 0,
    isSaved: saved.has(card.uid),
  }
}

function phaseOf(phase: string | null | undefined): FilmView['phase'] {
  return phase === 'discover' || phase === 'develop' || phase === 'deliver' ? phase : null
}
