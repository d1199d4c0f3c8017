import { type FilmPhase, filmPhases } from '~/forms/films.ts'
import { type VideoCategory, videoCategories } from '~/forms/videos.ts'
import { imageAddress } from '~/lib/file-address.ts'
import { readFilmFileAddress } from '~/lib/film-address.ts'
import type { Ctx } from '~/services/context.ts'
import { Invalid } from '~/services/errors.ts'
import { countLectures, type Lecture, listLectures } from '~/services/lectures/lectures.server.ts'
import { recordFilmProgress } from '~/services/progress/progress.server.ts'
import { countVideos, listVideos, type Video } from '~/services/videos/videos.server.ts'
import { connection, type PageArguments } from '../connection.ts'
import type { GraphqlContext } from '../context.ts'
import { toGlobalId } from '../ids.ts'

export const lectureResolvers = {
  Query: {
    lectures: async (
      _: unknown,
      { publishedOnly, ...page }: PageArguments & { publishedOnly?: boolean | null },
      { ctx }: GraphqlContext,
    ) => connection(await listLectures(ctx, { ...page, publishedOnly }), () => countLectures(ctx, { publishedOnly })),
    videos: async (
      _: unknown,
      { phase, category, ...page }: PageArguments & { phase?: string | null; category?: string | null },
      { ctx }: GraphqlContext,
    ) => {
      const filter = {
        phase: oneOf<FilmPhase>(filmPhases, phase, 'phase'),
        category: oneOf<VideoCategory>(videoCategories, category, 'category'),
      }
      return connection(await listVideos(ctx, { ...page, ...filter }), () => countVideos(ctx, filter))
    },
  },
  Mutation: {
    updateLectureProgress: async (
      _: unknown,
      { lectureUid, progress }: { lectureUid: string; progress: number },
      { ctx }: GraphqlContext,
    ) => {
      const { percent } = await recordFilmProgress(ctx, { kind: 'lecture', uid: lectureUid, percent: progress })
      return { lectureProgress: { lectureUid, progressPercent: percent, error: null } }
    },
    updateVideoProgress: async (
      _: unknown,
      { videoUid, progress, positionSeconds }: { videoUid: string; progress: number; positionSeconds?: number | null },
      { ctx }: GraphqlContext,
    ) => {
      const now = await recordFilmProgress(ctx, { kind: 'video', uid: videoUid, percent: progress, positionSeconds })
      const { percent: progressPercent, positionSeconds: position } = now
      return { videoProgress: { videoUid, progressPercent, positionSeconds: position } }
    },
  },
  Lecture: {
    id: (lecture: Lecture) => toGlobalId('Lecture', lecture.uid),
    lastUpdatedTs: (lecture: Lecture) => lecture.updatedAt,
    vimeoVideo: ({ vimeoFullUrl, duration }: Lecture) => vimeoFullUrl && { fullUrl: vimeoFullUrl, duration },
    tags: (lecture: Lecture, _: unknown, { loaders }: GraphqlContext) => loaders.lectureParts.load(lecture.uid, 'tags'),
    accessPlans: (lecture: Lecture, _: unknown, { loaders }: GraphqlContext) =>
      loaders.lectureParts.load(lecture.uid, 'plans'),
    coverImg: (lecture: Lecture, _: unknown, { loaders }: GraphqlContext) =>
      loaders.lectureParts.load(lecture.uid, 'cover'),
    videoUrl: ({ videoUrl }: Lecture, _: unknown, { ctx }: GraphqlContext) => absoluteFilmAddress(ctx, videoUrl),
    captions: (lecture: Lecture, _: unknown, { loaders }: GraphqlContext) =>
      loaders.lectureParts.load(lecture.uid, 'captions'),
    transcript: (lecture: Lecture, _: unknown, { loaders }: GraphqlContext) =>
      loaders.lectureParts.load(lecture.uid, 'transcript'),
    defaultChapter: (lecture: Lecture, _: unknown, { loaders }: GraphqlContext) =>
      loaders.lectureParts.load(lecture.uid, 'chapter'),
  },
  Video: {
    id: (video: Video) => toGlobalId('Video', video.uid),
    lastUpdatedTs: (video: Video) => video.updatedAt,
    coverUrl: ({ cover }: Video, _: unknown, { ctx }: GraphqlContext) =>
      cover && `${ctx.site.baseUrl}${imageAddress(cover.imageUid)}`,
    videoUrl: ({ videoUrl }: Video, _: unknown, { ctx }: GraphqlContext) => absoluteFilmAddress(ctx, videoUrl),
    captions: (video: Video, _: unknown, { loaders }: GraphqlContext) => loaders.videoParts.load(video.uid, 'captions'),
    transcript: (video: Video, _: unknown, { loaders }: GraphqlContext) =>
      loaders.videoParts.load(video.uid, 'transcript'),
    ownProgress: async ({ uid }: Video, _: unknown, { loaders }: GraphqlContext) => {
      const progress = await loaders.ownVideoProgress.load(uid)
      return (
        progress && {
          videoUid: uid,
          progressPercent: progress.percent,
          positionSeconds: progress.positionSeconds,
        }
      )
    },
  },
}

/** Programs fetch an uploaded film by its whole address, as they do all files. */
function absoluteFilmAddress(ctx: Ctx, videoUrl: string): string {
  return readFilmFileAddress(videoUrl) ? `${ctx.site.baseUrl}${videoUrl}` : videoUrl
}

/** Null if the value was left out. Throws Invalid for a value that is not in the list. */
function oneOf<T extends string>(known: readonly T[], value: string | null | undefined, name: string): T | null {
  if (value === null || value === undefined) return null
  const found = known.find((one) => one === value)
  if (!found) throw new Invalid(`"${name}" must be one of ${known.join(', ')}.`, {}, `videos.${name}`)
  return found
}
