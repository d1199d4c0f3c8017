import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { FilmList } from '~/components/media/film-list.tsx'
import { filmPhases } from '~/forms/films.ts'
import { type VideoCategory, videoCategories } from '~/forms/videos.ts'
import { requireLearner } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { itemsPerPage } from '~/lib/list-page.ts'
import { queryOf, readFilmFilter, viewsOfVideos } from '~/pages/films.server.ts'
import { countVideosByFilter, listVideoCards } from '~/services/videos/videos.server.ts'

export const meta = pageTitle('Video Library')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const { phase, category, page, query } = readFilmFilter(args.request)
  const [counts, videos] = await Promise.all([
    countVideosByFilter(ctx),
    listVideoCards(ctx, { phase, category, limit: itemsPerPage, offset: (page - 1) * itemsPerPage }),
  ])
  const sum = (rows: typeof counts) => rows.reduce((total, row) => total + row.total, 0)
  const ofPhase = (one: typeof phase) => counts.filter(({ phases }) => one === null || phases.includes(one))
  const ofCategory = (one: typeof category) => counts.filter((row) => one === null || row.category === one)
  const phaseLinks = [null, ...filmPhases]
    .filter((one) => sum(ofPhase(one)) > 0)
    .map((one) => ({ label: one ?? 'All phases', query: queryOf(one, category), isCurrent: one === phase }))
  const categoryLinks = [null, ...videoCategories]
    .filter((one) => sum(ofCategory(one)) > 0)
    .map((one) => ({
      label: one ? categoryPlurals[one] : 'All kinds',
      query: queryOf(phase, one),
      isCurrent: one === category,
    }))
  return {
    films: await viewsOfVideos(ctx, videos),
    page,
    size: itemsPerPage,
    total: sum(ofPhase(phase).filter((row) => category === null || row.category === category)),
    query,
    filters: [
      { name: 'Kinds', links: categoryLinks },
      { name: 'Phases', links: phaseLinks },
    ].filter(({ links }) => links.length > 1),
  }
}

const categoryPlurals = { expert: 'Experts', case_study: 'Case studies', animation: 'Animations' } satisfies Record<
  VideoCategory,
  string
>

export default function Videos() {
  const list = useLoaderData<typeof loader>()
  return (
    <FilmList
      {...list}
      address="/videos/"
      title="Videos"
      lead="Short silent animations with captions, each on one idea."
      icon="play"
      empty={{
        title: 'There are no videos for you yet',
        text: 'Videos appear here as soon as your access covers one. If you expected some, please write to us.',
      }}
    />
  )
}
