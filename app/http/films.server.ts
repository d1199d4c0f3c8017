/** What the pages of lectures and of videos read from their addresses and forms alike. */
import type { FilmPhase } from '~/forms/films.ts'
import { type VideoCategory, videoCategories } from '~/forms/videos.ts'
import { coverAddress } from '~/lib/cover.ts'
import type { FilmView } from '~/lib/learner-views.ts'
import { pageNumber } from '~/lib/table-query.ts'
import type { Ctx } from '~/services/context.ts'
import { type FlagName, listFeatureFlags } from '~/services/sites/sites.server.ts'
import { brandOf } from './context.server.ts'
import { notFoundPage, type Refusal, text } from './respond.server.ts'

export const filmsOfPage = 6

const phases: Record<string, FilmPhase> = { discover: 'Discover', develop: 'Develop', deliver: 'Deliver' }

/** What makes no sense is as if it were not there. `query` is what the filters add to other addresses. */
export function readFilmFilter(request: Request) {
  const { searchParams } = new URL(request.url)
  const phaseKey = searchParams.get('phase') ?? ''
  const phase = Object.hasOwn(phases, phaseKey) ? (phases[phaseKey] ?? null) : null
  const category: VideoCategory | null = videoCategories.find((one) => one === searchParams.get('category')) ?? null
  const page = pageNumber(searchParams.get('page'))
  return { phase, category, page, query: queryOf(phase, category) }
}

/** What the filters add to an address, and the page of the list that a film was opened from. */
export function queryOf(phase: FilmPhase | null, category: VideoCategory | null, page = 1): string {
  return new URLSearchParams({
    ...(phase && { phase: phase.toLowerCase() }),
    ...(category && { category }),
    ...(page > 1 && { page: String(page) }),
  }).toString()
}

/** Where an area is switched off its pages are not there, for staff neither (decisions, learner Q-08). */
export async function requireFeature(ctx: Ctx, name: FlagName): Promise<void> {
  if (!(await listFeatureFlags(ctx)).includes(name)) throw notFoundPage()
}

/** Numbers that are none become NaN, which the service refuses in words. */
export function readProgress(form: FormData): { percent: number; positionSeconds: number | null } {
  const position = text(form, 'position')
  const percent = text(form, 'percent')
  return {
    percent: percent === '' ? Number.NaN : Number(percent),
    positionSeconds: position === '' ? null : Number(position),
  }
}

/** The cover, or the drawing that stands for it. */
export function posterOf(ctx: Ctx, film: Pick<FilmView, 'name' | 'phase' | 'cover'>): string {
  return film.cover?.address ?? coverAddress(film.name, film.phase ?? 'discover', brandOf(ctx).palette)
}

/** For an address that is no page: 204, or what was refused with its status. */
export function answerOf(told: null | { data: Refusal; init: ResponseInit | null }): Response {
  if (told === null) return new Response(null, { status: 204 })
  return Response.json({ message: told.data.message }, told.init ?? {})
}
