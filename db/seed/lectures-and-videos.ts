/** The demo's lectures and videos. Their films are static files of ours (films/make-films.mjs); captions and covers are stored. */
import { Readable } from 'node:stream'
import { brands } from '../../app/config/brands.ts'
import { isCoverPhase } from '../../app/lib/cover.ts'
import { writeCues } from '../../app/lib/webvtt.ts'
import type { Ctx } from '../../app/services/context.ts'
import { createLectureAsOperator } from '../../app/services/lectures/operator.server.ts'
import { createVideoAsOperator } from '../../app/services/videos/operator.server.ts'
import { drawPicture, uidOf } from './demo-parts.ts'
import { cuesOf, type DemoFilm, lectures, videos } from './films/library.ts'

/** One transaction each, in their order; what is there already stays as it is. */
export async function seedLecturesAndVideos(ctx: Ctx, accessPlanUids: string[]): Promise<void> {
  for (const lecture of lectures) {
    await createLectureAsOperator(ctx, {
      ...(await partsOf(ctx, lecture, accessPlanUids)),
      presenter: lecture.presenter,
      questionsMarkdown: lecture.questions,
      inLecturesPage: true,
      comingSoon: lecture.isComingSoon ?? false,
      chapterName: lecture.chapter,
    })
  }
  for (const [index, video] of videos.entries()) {
    await createVideoAsOperator(ctx, {
      ...(await partsOf(ctx, video, accessPlanUids)),
      category: video.category,
      position: libraryPlace(index),
    })
  }
}

/** One of each kind in turn, so that the first page shows all three. */
function libraryPlace(index: number): number {
  return (index % 4) * 3 + Math.floor(index / 4)
}

async function partsOf(ctx: Ctx, film: DemoFilm, accessPlanUids: string[]) {
  const phase = film.phases[0]?.toLowerCase()
  return {
    uid: uidOf(ctx, 'film', film.slug),
    name: film.name,
    description: film.description,
    status: 'published' as const,
    phases: film.phases,
    tags: film.tags,
    accessPlanUids,
    coverImgDesc: film.cover,
    cover: Readable.from([await drawPicture(ctx, film, isCoverPhase(phase) ? phase : undefined)]),
    captions: writeCues(cuesOf(film)),
    videoUrl: `/films/${film.slug}-${brands[ctx.site.key].palette}.mp4`,
    duration: film.seconds,
  }
}
