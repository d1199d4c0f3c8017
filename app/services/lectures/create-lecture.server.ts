import type { z } from 'zod'
import { type LectureValues, lectureForm } from '~/forms/lectures.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { createFilm, type FilmColumns } from '../films/create-film.server.ts'
import { newUid, parseInput } from '../input.ts'
import { putInChapter } from './chapters.server.ts'
import { getLecture, type Lecture } from './lectures.server.ts'
import { saveLecture } from './save-lecture.server.ts'

export type NewLecture = z.input<typeof lectureForm> & { uid?: string }

/**
 * Creates a lecture, for staff. With a `uid` made by the client, a repeated request creates only one lecture. What has been
 * typed since the first request, whose answer was lost, is saved as a change of that lecture.
 */
export async function createLecture(ctx: Ctx, input: NewLecture): Promise<Lecture> {
  requireStaff(ctx, 'write')
  const values = parseInput(lectureForm, input)
  const uid = newUid(input.uid)
  const insert = (ctx: Ctx, columns: FilmColumns) => insertLecture(ctx, values, columns)
  if (await createFilm(ctx, { kind: 'lecture', uid, values, insert })) return getLecture(ctx, { lectureUid: uid })
  return (await saveLecture(ctx, { ...input, status: values.status, lectureUid: uid, revision: 0 })).lecture
}

/** Returns false if a lecture with this uid exists. */
async function insertLecture(ctx: Ctx, values: LectureValues, columns: FilmColumns): Promise<boolean> {
  const lecture = await ctx.db
    .insertInto('lectures')
    .values({
      ...columns,
      questions_markdown: values.questionsMarkdown,
      in_lectures_page: values.inLecturesPage,
      coming_soon: values.comingSoon,
    })
    .onConflict((oc) => oc.column('uid').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!lecture) return false
  if (values.chapterUid !== null) await putInChapter(ctx, lecture.id, values.chapterUid)
  return true
}
