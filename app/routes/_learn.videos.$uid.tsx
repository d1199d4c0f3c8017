import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { FilmPage } from '~/components/media/film-page.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { titleFrom } from '~/http/meta.ts'
import { notFoundPage, throwAsPage, withButton } from '~/http/respond.server.ts'
import {
  posterOf,
  queryOf,
  readFilmFilter,
  readPlace,
  readTranscriptLanguage,
  viewsOfVideos,
} from '~/pages/films.server.ts'
import { tagsOf } from '~/pages/tags.server.ts'
import { termsOf } from '~/pages/terms.server.ts'
import { findOwnPlayed, recordFilmProgress } from '~/services/progress/progress.server.ts'
import { findVideoNeighbours, getVideoToWatch } from '~/services/videos/videos.server.ts'

export const meta: MetaFunction<typeof loader> = ({ matches, data }) =>
  titleFrom(matches, data?.film.name ?? 'Video Library')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const videoUid = args.params.uid ?? ''
  const { phase, category, page } = readFilmFilter(args.request)
  const [video, neighbours, played, tags] = await Promise.all([
    getVideoToWatch(ctx, { videoUid, language: readTranscriptLanguage(args.request) }).catch(throwAsPage),
    findVideoNeighbours(ctx, { videoUid, phase, category }),
    findOwnPlayed(ctx, { kind: 'video', uid: videoUid }),
    tagsOf(ctx, 'videos', videoUid),
  ])
  const [[film], terms] = await Promise.all([
    viewsOfVideos(ctx, [video]),
    termsOf(ctx, [video.description], { kind: 'videos', uid: video.uid }),
  ])
  if (!film) throw notFoundPage()
  return {
    film,
    description: terms.mark(film.description),
    tags,
    positionSeconds: Math.max(readPlace(args.request), film.positionSeconds),
    played,
    src: video.videoUrl,
    poster: posterOf(ctx, film),
    tracks: video.tracks,
    transcript: video.transcript,
    ...neighbours,
    list: { address: '/videos/', label: 'Videos', query: queryOf(phase, category, page) },
  }
}

/** Marks the video as watched, for browsers without JavaScript ("I have watched this"). */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireLearner(args)
  return withButton(args, ctx, async () => {
    const videoUid = args.params.uid ?? ''
    await recordFilmProgress(ctx, { kind: 'video', uid: videoUid, percent: 100 })
    return redirectWithNotice(args, `/videos/${videoUid}/`, {
      kind: 'success',
      text: 'This video is marked as watched.',
    })
  })
}

export default function Video() {
  const page = useLoaderData<typeof loader>()
  return <FilmPage key={page.film.uid} {...page} />
}
