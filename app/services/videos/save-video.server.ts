/** Changes, publishes, deletes and restores videos, for staff (services/films has the code that videos share). */
import { sql } from 'kysely'
import type { z } from 'zod'
import { categoryNames, type VideoFields, videoChanges, videoDialogForm, videoFieldLabels } from '~/forms/videos.ts'
import { type Ctx, requireStaff, type SystemCtx } from '../context.ts'
import { deleteFilm, restoreFilm } from '../films/delete-film.server.ts'
import type { FilmKind, FilmState, RevisedFilm } from '../films/film-kind.ts'
import { readFilmState } from '../films/film-state.server.ts'
import { planFilmRestore, restoreFilmRevision } from '../films/restore-film.server.ts'
import { changeFilm, matchesFilm, readFilmToEdit, saveFilmForm } from '../films/save-film.server.ts'
import { parseInput } from '../input.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import type { RestoredRevision, RestoreInput, RestorePlan } from '../revisions.ts'
import { getVideo, type Video } from './videos.server.ts'

export type VideoState = FilmState & Omit<VideoFields, keyof FilmState | 'transcriptFile'>

const videos: FilmKind<VideoState> = {
  kind: 'video',
  read: (ctx, uid) => readFilmState<VideoState>(ctx, 'video', uid, sql`film.category`),
  write: async (ctx, { id }, columns, { category }) => {
    await ctx.db
      .updateTable('videos')
      .set({ ...columns, ...(category !== undefined && { category }) })
      .where('id', '=', id)
      .execute()
  },
  textOf: (field, state) => categoryNames[state[field]],
  changes: videoChanges,
  labels: videoFieldLabels,
}

export type VideoUpdate = z.input<typeof videoChanges> & { videoUid: string }

/** Changes only the given fields. `status` publishes or unpublishes. */
export async function updateVideo(ctx: Ctx, input: VideoUpdate): Promise<Video> {
  requireStaff(ctx, 'write')
  await changeFilm(ctx, videos, { uid: input.videoUid, changes: parseInput(videoChanges, input) })
  return getVideo(ctx, input)
}

type VideoForm = z.input<typeof videoDialogForm> & { videoUid: string }

/**
 * Saves the dialog's form, which holds all its fields and the revision they were read at. `keptOfOthers`: the fields
 * that somebody else changed meanwhile and this form did not. Throws ChangedMeanwhile if both changed the same field.
 */
export async function saveVideo(
  ctx: Ctx,
  input: VideoForm & { revision: number },
): Promise<{ video: Video; keptOfOthers: string[] }> {
  requireStaff(ctx, 'write')
  const mine = parseInput(videoDialogForm, input)
  const { keptOfOthers } = await saveFilmForm(ctx, videos, { uid: input.videoUid, revision: input.revision, mine })
  return { video: await getVideo(ctx, input), keptOfOthers }
}

/** Returns whether the form matches what is stored. Publishing uses the stored video. */
export async function isVideoSaved(ctx: Ctx, input: VideoForm): Promise<boolean> {
  requireStaff(ctx)
  const values = videoDialogForm.safeParse(input)
  return values.success && (await matchesFilm(ctx, videos, { uid: input.videoUid, values: values.data }))
}

/** Says what `restoreVideoRevision` would change. */
export async function planVideoRestore(
  ctx: Ctx,
  input: { uid: string; revision: number },
): Promise<RestorePlan<VideoState>> {
  requireStaff(ctx)
  return planFilmRestore(ctx, videos, input)
}

/** Saves a video as it was at an earlier revision, with what still exists. Repeating it changes nothing. */
export async function restoreVideoRevision(ctx: Ctx, input: RestoreInput): Promise<RestoredRevision> {
  requireStaff(ctx, 'write')
  return restoreFilmRevision(ctx, videos, input)
}

export type VideoToEdit = RevisedFilm<VideoState> & { video: Video }

/** Returns the stored values for the dialog and the revision that it sends back with them. */
export async function getVideoToEdit(ctx: Ctx, input: { videoUid: string }): Promise<VideoToEdit> {
  requireStaff(ctx)
  const video = await getVideo(ctx, input)
  return { video, ...(await readFilmToEdit(ctx, videos, video.uid)) }
}

/** Publishes or unpublishes a video. Repeating it changes nothing. */
export async function publishVideo(ctx: Ctx, input: { videoUid: string; publish: boolean }): Promise<Video> {
  requireStaff(ctx, 'write')
  return updateVideo(ctx, { videoUid: input.videoUid, status: input.publish ? 'published' : 'draft' })
}

/** Deletes a video softly; `restoreVideo` can bring it back for thirty days. */
export async function deleteVideo(ctx: Ctx, input: { videoUid: string }): Promise<{ uid: string; name: string }> {
  requireStaff(ctx, 'write')
  return deleteFilm(ctx, videos, input.videoUid)
}

/** Undoes a deletion of the last thirty days. A video that is not deleted stays as it is. */
export async function restoreVideo(ctx: Ctx, input: { videoUid: string }): Promise<Video> {
  requireStaff(ctx, 'write')
  await restoreFilm(ctx, videos, input.videoUid)
  return getVideo(ctx, input)
}

/** The job: removes videos that were deleted more than thirty days ago. */
export async function purgeDeletedVideos(ctx: SystemCtx): Promise<void> {
  // A restore that began in time must commit before the purge may begin.
  await ctx.db
    .deleteFrom('videos')
    .where('deleted_at', '<=', daysAgo(ctx, restorableDays + 1 / 24))
    .execute()
}
