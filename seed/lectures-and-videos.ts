/**
 * The demo's lectures and videos. Their films are our own static files (tools/films/library); captions and covers are
 * stored.
 */
import { Readable } from 'node:stream'
import { brands } from '../app/config/brands.ts'
import { isCoverPhase } from '../app/lib/cover.ts'
import { writeCues } from '../app/lib/webvtt.ts'
import type { Ctx } from '../app/services/context.ts'
import { createLecture } from '../app/services/lectures/create-lecture.server.ts'
import { listLecturesByUid } from '../app/services/lectures/lectures.server.ts'
import { receiveUpload } from '../app/services/uploads/uploads.server.ts'
import { createVideo } from '../app/services/videos/create-video.server.ts'
import { listVideosByUid } from '../app/services/videos/videos.server.ts'
import { findChapter, isOnSite, uidOf, uploadCover } from './demo-parts.ts'
import { cuesOf, type DemoFilm, lectures, videos } from './film-library.ts'

/** Creates the missing ones, in their order. */
export async function seedLecturesAndVideos(ctx: Ctx, accessPlanUids: string[]): Promise<void> {
  const ownLectures = lectures.filter((lecture) => isOnSite(lecture, ctx.site.key))
  const madeLectures = await listLecturesByUid(
    ctx,
    ownLectures.map((lecture) => uidOfFilm(ctx, lecture)),
  )
  for (const lecture of ownLectures.filter((one) => !madeLectures.has(uidOfFilm(ctx, one)))) {
    await createLecture(ctx, {
      ...(await partsOf(ctx, lecture, accessPlanUids)),
      questionsMarkdown: lecture.questions,
      inLecturesPage: true,
      comingSoon: lecture.isComingSoon ?? false,
      chapterUid: (await findChapter(ctx, lecture.chapter)).uid,
    })
  }
  const madeVideos = await listVideosByUid(
    ctx,
    videos.map((video) => uidOfFilm(ctx, video)),
  )
  for (const [index, video] of videos.entries()) {
    if (madeVideos.has(uidOfFilm(ctx, video))) continue
    await createVideo(ctx, {
      ...(await partsOf(ctx, video, accessPlanUids)),
      category: video.category,
      position: libraryPlace(index),
    })
  }
}

/** Takes one of each kind in turn, so that the first page shows all three. */
function libraryPlace(index: number): number {
  return (index % 4) * 3 + Math.floor(index / 4)
}

function uidOfFilm(ctx: Ctx, { slug }: DemoFilm): string {
  return uidOf(ctx, 'film', slug)
}

async function partsOf(ctx: Ctx, film: DemoFilm, accessPlanUids: string[]) {
  const phase = film.phases[0]?.toLowerCase()
  const captions = await receiveUpload(ctx, {
    kind: 'captions',
    fileName: `${film.slug}.vtt`,
    source: Readable.from([Buffer.from(writeCues(cuesOf(film)))]),
  })
  return {
    uid: uidOfFilm(ctx, film),
    name: film.name,
    description: film.description,
    status: 'published' as const,
    phases: film.phases,
    tags: film.tags,
    accessPlanUids,
    coverImg: await uploadCover(ctx, film, isCoverPhase(phase) ? phase : undefined),
    coverImgDesc: film.cover,
    captions: captions.name,
    videoUrl: `/films/${film.slug}-${brands[ctx.site.key].palette}.mp4`,
    duration: film.seconds,
  }
}
