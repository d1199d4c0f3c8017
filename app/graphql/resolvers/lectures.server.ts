import type { GraphQLResolveInfo } from 'graphql'
import { type FilmPhase, filmPhases } from '~/forms/films.ts'
import { type VideoCategory, videoCategories } from '~/forms/videos.ts'
import { imageAddress } from '~/lib/file-address.ts'
import { readFilmFileAddress } from '~/lib/film-address.ts'
import type { Ctx } from '~/services/context.ts'
import { Invalid, NotFound } from '~/services/errors.ts'
import { createLecture, type NewLecture } from '~/services/lectures/create-lecture.server.ts'
import { countLectures, type Lecture, listLectures } from '~/services/lectures/lectures.server.ts'
import {
  deleteLecture,
  type LectureUpdate,
  restoreLecture,
  updateLecture,
} from '~/services/lectures/save-lecture.server.ts'
import { recordFilmProgress } from '~/services/progress/progress.server.ts'
import { createVideo, type NewVideo } from '~/services/videos/create-video.server.ts'
import { deleteVideo, restoreVideo, updateVideo, type VideoUpdate } from '~/services/videos/save-video.server.ts'
import { countVideos, listVideos, type Video } from '~/services/videos/videos.server.ts'
import { connection, type PageArguments } from '../connection.ts'
import type { GraphqlContext } from '../context.ts'
import { uidForRequest } from '../idempotency.ts'
import { fromGlobalId, toGlobalId } from '../ids.ts'

type OfFilm = { data: { id: string } }
type LectureChanges = Omit<LectureUpdate, 'lectureUid'> & { id: string; uid?: string | null }
type VideoChanges = Omit<VideoUpdate, 'videoUid'> & { id: string; uid?: string | null }

/** Throws NotFound for the id of something else, and if `uid` names another film. */
function uidOf(type: 'Lecture' | 'Video', { id, uid }: { id: string; uid?: string | null }): string {
  const key = fromGlobalId(id)
  if (key?.type !== type || (uid && uid.toLowerCase() !== key.uid)) throw new NotFound()
  return key.uid
}

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
    createLecture: async (
      _: unknown,
      input: Omit<NewLecture, 'uid'>,
      context: GraphqlContext,
      info: GraphQLResolveInfo,
    ) => ({ lecture: await createLecture(context.ctx, { ...input, uid: uidForRequest(context, info) }) }),
    updateLecture: async (_: unknown, { id, uid, ...changes }: LectureChanges, { ctx }: GraphqlContext) => ({
      lecture: await updateLecture(ctx, { ...changes, lectureUid: uidOf('Lecture', { id, uid }) }),
    }),
    deleteLecture: async (_: unknown, { data }: OfFilm, { ctx }: GraphqlContext) => {
      const { uid } = await deleteLecture(ctx, { lectureUid: uidOf('Lecture', data) })
      return { id: data.id, uid }
    },
    restoreLecture: async (_: unknown, { data }: OfFilm, { ctx }: GraphqlContext) => ({
      lecture: await restoreLecture(ctx, { lectureUid: uidOf('Lecture', data) }),
    }),
    createVideo: async (
      _: unknown,
      input: Omit<NewVideo, 'uid'>,
      context: GraphqlContext,
      info: GraphQLResolveInfo,
    ) => ({ video: await createVideo(context.ctx, { ...input, uid: uidForRequest(context, info) }) }),
    updateVideo: async (_: unknown, { id, uid, ...changes }: VideoChanges, { ctx }: GraphqlContext) => ({
      video: await updateVideo(ctx, { ...changes, videoUid: uidOf('Video', { id, uid }) }),
    }),
    deleteVideo: async (_: unknown, { data }: OfFilm, { ctx }: GraphqlContext) => {
      const { uid } = await deleteVideo(ctx, { videoUid: uidOf('Video', data) })
      return { id: data.id, uid }
    },
    restoreVideo: async (_: unknown, { data }: OfFilm, { ctx }: GraphqlContext) => ({
      video: await restoreVideo(ctx, { videoUid: uidOf('Video', data) }),
    }),
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
    tags: (video: Video, _: unknown, { loaders }: GraphqlContext) => loaders.videoParts.load(video.uid, 'tags'),
    accessPlans: (video: Video, _: unknown, { loaders }: GraphqlContext) => loaders.videoParts.load(video.uid, 'plans'),
    coverImg: (video: Video, _: unknown, { loaders }: GraphqlContext) => loaders.videoParts.load(video.uid, 'cover'),
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
