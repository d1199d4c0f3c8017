/** Changes, publishes, deletes and restores lectures, for staff (services/films has the code that videos share). */
import { sql } from 'kysely'
import type { z } from 'zod'
import { type LectureFields, lectureChanges, lectureDialogForm, lectureFieldLabels } from '~/forms/lectures.ts'
import { findKnownParts } from '../access/known-parts.server.ts'
import { type Ctx, requireStaff, type SystemCtx } from '../context.ts'
import { deleteFilm, restoreFilm } from '../films/delete-film.server.ts'
import type { FilmKind, FilmState, RevisedFilm } from '../films/film-kind.ts'
import { readFilmState } from '../films/film-state.server.ts'
import { planFilmRestore, restoreFilmRevision } from '../films/restore-film.server.ts'
import { changeFilm, matchesFilm, readFilmToEdit, saveFilmForm } from '../films/save-film.server.ts'
import { parseInput } from '../input.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import type { RestoredRevision, RestoreInput, RestorePlan } from '../revisions.ts'
import { putInChapter } from './chapters.server.ts'
import { getLecture, type Lecture } from './lectures.server.ts'

export type LectureState = FilmState & Omit<LectureFields, keyof FilmState | 'transcriptFile'>

const lectures: FilmKind<LectureState> = {
  kind: 'lecture',
  read: (ctx, uid) =>
    readFilmState<LectureState>(
      ctx,
      'lecture',
      uid,
      sql`film.questions_markdown as "questionsMarkdown", film.in_lectures_page as "inLecturesPage",
        film.coming_soon as "comingSoon", (
          select chapters.uid from lecture_chapters place join chapters on chapters.id = place.chapter_id
          where place.lecture_id = film.id) as "chapterUid"`,
    ),
  write: async (ctx, { id }, columns, changes) => {
    const { questionsMarkdown, inLecturesPage, comingSoon, chapterUid } = changes
    await ctx.db
      .updateTable('lectures')
      .set({
        ...columns,
        ...(questionsMarkdown !== undefined && { questions_markdown: questionsMarkdown }),
        ...(inLecturesPage !== undefined && { in_lectures_page: inLecturesPage }),
        ...(comingSoon !== undefined && { coming_soon: comingSoon }),
      })
      .where('id', '=', id)
      .execute()
    if (chapterUid !== undefined) await putInChapter(ctx, id, chapterUid)
  },
  textOf: (field, state) => state[field] ?? '',
  changes: lectureChanges,
  labels: lectureFieldLabels,
  adapt: async (ctx, then, now) => {
    const { chapterUid } = then
    const isGone =
      chapterUid !== null && !(await findKnownParts(ctx, { chapters: [chapterUid] })).chapters.has(chapterUid)
    if (!isGone) return { state: then, leftOut: [] }
    return {
      state: { ...then, chapterUid: now.chapterUid },
      leftOut: ['The chapter from that revision no longer exists, so the current one was kept.'],
    }
  },
}

export type LectureUpdate = z.input<typeof lectureChanges> & { lectureUid: string }

/** Changes only the given fields. `status` publishes or unpublishes. */
export async function updateLecture(ctx: Ctx, input: LectureUpdate): Promise<Lecture> {
  requireStaff(ctx, 'write')
  await changeFilm(ctx, lectures, { uid: input.lectureUid, changes: parseInput(lectureChanges, input) })
  return getLecture(ctx, input)
}

type LectureForm = z.input<typeof lectureDialogForm> & { lectureUid: string }

/**
 * Saves the dialog's form, which holds all its fields and the revision they were read at. `keptOfOthers`: the fields
 * that somebody else changed meanwhile and this form did not. Throws ChangedMeanwhile if both changed the same field.
 */
export async function saveLecture(
  ctx: Ctx,
  input: LectureForm & { revision: number },
): Promise<{ lecture: Lecture; keptOfOthers: string[] }> {
  requireStaff(ctx, 'write')
  const mine = parseInput(lectureDialogForm, input)
  const { keptOfOthers } = await saveFilmForm(ctx, lectures, { uid: input.lectureUid, revision: input.revision, mine })
  return { lecture: await getLecture(ctx, input), keptOfOthers }
}

/** Returns whether the form matches what is stored. Publishing uses the stored lecture. */
export async function isLectureSaved(ctx: Ctx, input: LectureForm): Promise<boolean> {
  requireStaff(ctx)
  const values = lectureDialogForm.safeParse(input)
  return values.success && (await matchesFilm(ctx, lectures, { uid: input.lectureUid, values: values.data }))
}

/** Says what `restoreLectureRevision` would change. */
export async function planLectureRestore(
  ctx: Ctx,
  input: { uid: string; revision: number },
): Promise<RestorePlan<LectureState>> {
  requireStaff(ctx)
  return planFilmRestore(ctx, lectures, input)
}

/** Saves a lecture as it was at an earlier revision, with what still exists. Repeating it changes nothing. */
export async function restoreLectureRevision(ctx: Ctx, input: RestoreInput): Promise<RestoredRevision> {
  requireStaff(ctx, 'write')
  return restoreFilmRevision(ctx, lectures, input)
}

export type LectureToEdit = RevisedFilm<LectureState> & { lecture: Lecture }

/** Returns the stored values for the dialog and the revision that it sends back with them. */
export async function getLectureToEdit(ctx: Ctx, input: { lectureUid: string }): Promise<LectureToEdit> {
  requireStaff(ctx)
  const lecture = await getLecture(ctx, input)
  return { lecture, ...(await readFilmToEdit(ctx, lectures, lecture.uid)) }
}

/** Publishes or unpublishes a lecture. Repeating it changes nothing. */
export async function publishLecture(ctx: Ctx, input: { lectureUid: string; publish: boolean }): Promise<Lecture> {
  requireStaff(ctx, 'write')
  return updateLecture(ctx, { lectureUid: input.lectureUid, status: input.publish ? 'published' : 'draft' })
}

/** Deletes a lecture softly; `restoreLecture` can bring it back for thirty days. */
export async function deleteLecture(ctx: Ctx, input: { lectureUid: string }): Promise<{ uid: string; name: string }> {
  requireStaff(ctx, 'write')
  return deleteFilm(ctx, lectures, input.lectureUid)
}

/** Undoes a deletion of the last thirty days. A lecture that is not deleted stays as it is. */
export async function restoreLecture(ctx: Ctx, input: { lectureUid: string }): Promise<Lecture> {
  requireStaff(ctx, 'write')
  await restoreFilm(ctx, lectures, input.lectureUid)
  return getLecture(ctx, input)
}

/** The job: removes lectures that were deleted more than thirty days ago. */
export async function purgeDeletedLectures(ctx: SystemCtx): Promise<void> {
  // A restore that began in time must commit before the purge may begin.
  await ctx.db
    .deleteFrom('lectures')
    .where('deleted_at', '<=', daysAgo(ctx, restorableDays + 1 / 24))
    .execute()
}
