import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { FilmList } from '~/components/media/film-list.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { itemsPerPage } from '~/lib/list-page.ts'
import { queryOf, readFilmFilter, requireFeature, viewsOfLectures } from '~/pages/films.server.ts'
import { countLecturesByPhase, listLectureCards } from '~/services/lectures/lectures.server.ts'

export const meta = pageTitle('Lectures')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  await requireFeature(ctx, 'LECTURES')
  const { phase, page } = readFilmFilter(args.request)
  const [totals, cards] = await Promise.all([
    countLecturesByPhase(ctx),
    listLectureCards(ctx, { phase, limit: itemsPerPage, offset: (page - 1) * itemsPerPage }),
  ])
  const links = [null, 'Discover' as const, 'Develop' as const, 'Deliver' as const]
    .filter((one) => one === null || totals[one] > 0)
    .map((one) => ({ label: one ?? 'All', query: queryOf(one, null), isCurrent: one === phase }))
  return {
    films: await viewsOfLectures(ctx, cards),
    page,
    size: itemsPerPage,
    total: phase ? totals[phase] : totals.all,
    query: queryOf(phase, null),
    filters: links.length > 1 ? [{ name: 'Phases', links }] : [],
  }
}

export default function Lectures() {
  const list = useLoaderData<typeof loader>()
  return (
    <FilmList
      {...list}
      address="/lectures/"
      title="Lectures"
      lead="Lectures with guiding questions and a transcript. Stop wherever you like; your place is kept."
      icon="mic"
      empty={{
        title: 'There are no lectures for you yet',
        text: 'Lectures appear here as soon as your access covers one. If you expected some, please write to us.',
      }}
    />
  )
}
