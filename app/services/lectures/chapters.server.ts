import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'

/** Puts a lecture at the end of a chapter instead of the one that it is in; null: in none. */
export async function putInChapter(ctx: Ctx, lectureId: number, chapterUid: string | null): Promise<void> {
  await ctx.db.deleteFrom('lecture_chapters').where('lecture_id', '=', lectureId).execute()
  if (chapterUid === null) return
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
