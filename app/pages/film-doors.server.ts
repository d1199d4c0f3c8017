/** The services behind the dialogs of lectures and videos under the same names, with the posted form as input. */
import type { FilmKindName, FilmStatus } from '~/forms/films.ts'
import { lectureFormInput } from '~/forms/lectures.ts'
import { videoFormInput } from '~/forms/videos.ts'
import type { Ctx } from '~/services/context.ts'
import type { MediaFields } from '~/services/films/media-fields.server.ts'
import type { MediaState } from '~/services/films/media-state.server.ts'
import { createLecture } from '~/services/lectures/create-lecture.server.ts'
import { getLecture } from '~/services/lectures/lectures.server.ts'
import {
  deleteLecture,
  getLectureToEdit,
  isLectureSaved,
  publishLecture,
  saveLecture,
} from '~/services/lectures/save-lecture.server.ts'
import { createVideo } from '~/services/videos/create-video.server.ts'
import {
  deleteVideo,
  getVideoToEdit,
  isVideoSaved,
  publishVideo,
  saveVideo,
} from '~/services/videos/save-video.server.ts'
import { getVideo } from '~/services/videos/videos.server.ts'

type Film = { uid: string; name: string; status: FilmStatus; duration: number | null }
/** The stored fields by name. */
export type StoredFields = Record<string, string | string[] | boolean | null | MediaFields['captions']>
type FilmDoors = {
  get: (ctx: Ctx, uid: string) => Promise<Film>
  create: (ctx: Ctx, form: FormData, uid: string) => Promise<Film>
  save: (ctx: Ctx, form: FormData, at: { uid: string; revision: number }) => Promise<{ keptOfOthers: string[] }>
  isSaved: (ctx: Ctx, form: FormData, uid: string) => Promise<boolean>
  toEdit: (ctx: Ctx, uid: string) => Promise<{ film: Film; state: StoredFields; revision: number; media: MediaState }>
  publish: (ctx: Ctx, uid: string, publish: boolean) => Promise<Film>
  delete: (ctx: Ctx, uid: string) => Promise<{ name: string }>
}

export const filmDoors: Record<FilmKindName, FilmDoors> = {
  lecture: {
    get: (ctx, lectureUid) => getLecture(ctx, { lectureUid }),
    create: (ctx, form, uid) => createLecture(ctx, { ...lectureFormInput(form), uid }),
    save: (ctx, form, { uid, revision }) => saveLecture(ctx, { ...lectureFormInput(form), lectureUid: uid, revision }),
    isSaved: (ctx, form, uid) => isLectureSaved(ctx, { ...lectureFormInput(form), lectureUid: uid }),
    toEdit: async (ctx, uid) => {
      const { lecture, ...stored } = await getLectureToEdit(ctx, { lectureUid: uid })
      return { film: lecture, ...stored }
    },
    publish: (ctx, lectureUid, publish) => publishLecture(ctx, { lectureUid, publish }),
    delete: (ctx, lectureUid) => deleteLecture(ctx, { lectureUid }),
  },
  video: {
    get: (ctx, videoUid) => getVideo(ctx, { videoUid }),
    create: (ctx, form, uid) => createVideo(ctx, { ...videoFormInput(form), uid }),
    save: (ctx, form, { uid, revision }) => saveVideo(ctx, { ...videoFormInput(form), videoUid: uid, revision }),
    isSaved: (ctx, form, uid) => isVideoSaved(ctx, { ...videoFormInput(form), videoUid: uid }),
    toEdit: async (ctx, uid) => {
      const { video, ...stored } = await getVideoToEdit(ctx, { videoUid: uid })
      return { film: video, ...stored }
    },
    publish: (ctx, videoUid, publish) => publishVideo(ctx, { videoUid, publish }),
    delete: (ctx, videoUid) => deleteVideo(ctx, { videoUid }),
  },
}
