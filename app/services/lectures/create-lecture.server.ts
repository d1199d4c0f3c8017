import { sql } from 'kysely'
import type { z } from 'zod'
import { type LectureValues, lectureForm } from '~/forms/lectures.ts'
import { searchKey } from '~/lib/text.ts'
import { type Ctx, requireStaff } from '../context.ts'
import { Invalid } from '../errors.ts'
import { createFilm, type FilmColumns } from '../films/create-film.server.ts'
import { newUid, parseInput } from '../input.ts'
import { getLecture, type Lecture } from './lectures.server.ts'

type NewLecture = z.input<typeof lectureForm> & { uid?: string }

/** Creates a lecture, for staff. With a `uid` made by the client, a repeated request creates only one lecture. */
export async function createLecture(ctx: Ctx, input: NewLecture): Promise<Lecture> {
  requireStaff(ctx, 'write')
  const values = parseInput(lectureForm, input)
  const uid = newUid(input.uid)
  await createFilm(ctx, { kind: 'lecture', uid, values, insert: (ctx, columns) => insertLecture(ctx, values, columns) })
  return getLecture(ctx, { lectureUid: uid })
}

/** Returns false if a lecture with this uid exists. */
async function insertLecture(ctx: Ctx, values: LectureValues, columns: FilmColumns): Promise<boolean> {
  const lecture = await ctx.db
    .insertInto('lectures')
    .values({
      ...columns,
      search_key: searchKey(`${values.name} ${values.presenter}`),
      presenter: values.presenter,
      questions_markdown: values.questionsMarkdown,
      in_lectures_page: values.inLecturesPage,
      coming_soon: values.comingSoon,
    })
    .onConflict((oc) => oc.column('uid').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!lecture) return false
  if (values.chapterUid !== null) await addToChapter(ctx, lecture.id, values.chapterUid)
  return true
}

/** Adds the lecture to the end of a chapter. */
async function addToChapter(ctx: Ctx, lectureId: number, chapterUid: string): Promise<void> {
  const chapter = await ctx.db
    .selectFrom('chapters')
    .select('id')
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', chapterUid)
    .forUpdate()
    .executeTakeFirst()
  if (!chapter) throw new Invalid('There is no such chapter.', { chapterUid: 'There is no such chapter.' })
  await ctx.db
    .insertInto('lecture_chapters')
    .values({
      site_id: ctx.site.id,
      lecture_id: lectureId,
      chapter_id: chapter.id,
      position: sql<number>`(select coalesce(max(position) + 1, 0) from lecture_chapters where chapter_id = ${chapter.id})`,
    })
    .execute()
}
