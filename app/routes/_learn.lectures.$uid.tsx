import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { GuidingQuestions } from '~/components/lectures/guiding-questions.tsx'
import { FilmPage } from '~/components/media/film-page.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { titleFrom } from '~/http/meta.ts'
import { notFoundPage, throwAsPage, withButton } from '~/http/respond.server.ts'
import { renderMarkdown } from '~/lib/markdown.ts'
import {
  posterOf,
  queryOf,
  readFilmFilter,
  readPlace,
  readTranscriptLanguage,
  requireFeature,
  viewsOfLectures,
} from '~/pages/films.server.ts'
import { tagsOf } from '~/pages/tags.server.ts'
import { termsOf } from '~/pages/terms.server.ts'
import { findNeighbours, getLectureToWatch } from '~/services/lectures/lectures.server.ts'
import { findOwnPlayed, recordFilmProgress } from '~/services/progress/progress.server.ts'

export const meta: MetaFunction<typeof loader> = ({ matches, data }) =>
  titleFrom(matches, data?.film.name ?? 'Lectures')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  await requireFeature(ctx, 'LECTURES')
  const lectureUid = args.params.uid ?? ''
  const { phase, page } = readFilmFilter(args.request)
  const [lecture, neighbours, played, tags] = await Promise.all([
    getLectureToWatch(ctx, { lectureUid, language: readTranscriptLanguage(args.request) }).catch(throwAsPage),
    findNeighbours(ctx, { lectureUid, phase }),
    findOwnPlayed(ctx, { kind: 'lecture', uid: lectureUid }),
    tagsOf(ctx, 'lectures', lectureUid),
  ])
  const [[film], terms] = await Promise.all([
    viewsOfLectures(ctx, [lecture]),
    termsOf(ctx, [lecture.description, lecture.questionsMarkdown], { kind: 'lectures', uid: lecture.uid }),
  ])
  if (!film) throw notFoundPage()
  return {
    film,
    description: terms.mark(film.description),
    tags,
    positionSeconds: Math.max(readPlace(args.request), film.positionSeconds),
    played,
    src: lecture.videoUrl,
    poster: posterOf(ctx, film),
    tracks: lecture.tracks,
    transcript: lecture.transcript,
    ...neighbours,
    list: { address: '/lectures/', label: 'Lectures', query: queryOf(phase, null, page) },
    questions: renderMarkdown(lecture.questionsMarkdown, { headingOffset: 2, terms: terms.tree }),
  }
}

/** Marks the lecture as watched, for browsers without JavaScript ("I have watched this"). */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireLearner(args)
  return withButton(args, ctx, async () => {
    const lectureUid = args.params.uid ?? ''
    await recordFilmProgress(ctx, { kind: 'lecture', uid: lectureUid, percent: 100 })
    return redirectWithNotice(args, `/lectures/${lectureUid}/`, {
      kind: 'success',
      text: 'This lecture is marked as watched.',
    })
  })
}

export default function Lecture() {
  const { questions, ...page } = useLoaderData<typeof loader>()
  return (
    <FilmPage key={page.film.uid} {...page}>
      <GuidingQuestions html={questions} />
    </FilmPage>
  )
}
