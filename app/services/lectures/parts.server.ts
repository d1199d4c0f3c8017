/** What hangs on lectures, read for many at once, by uid of the lecture; without an entry for what the viewer may not see. */
import { isListed } from '../access/access.server.ts'
import type { Ctx } from '../context.ts'

/** The default chapter with its section. */
export async function listChaptersOfLectures(ctx: Ctx, lectureUids: string[]) {
  const rows = await ctx.db
    .selectFrom('lectures')
    .innerJoin('lecture_chapters', 'lecture_chapters.lecture_id', 'lectures.id')
    .innerJoin('chapters', 'chapters.id', 'lecture_chapters.chapter_id')
    .innerJoin('sections', 'sections.id', 'chapters.section_id')
    .select([
      'lectures.uid as lectureUid',
      'chapters.uid',
      'chapters.name',
      'sections.uid as sectionUid',
      'sections.name as sectionName',
      'sections.frontend_id as frontendId',
    ])
    .where('lectures.uid', 'in', lectureUids)
    .where(isListed(ctx, 'lectures'))
    .execute()
  return new Map(
    rows.map(({ lectureUid, uid, name, sectionUid, sectionName, frontendId }) => [
      lectureUid,
      { uid, name, section: { uid: sectionUid, name: sectionName, frontendId } },
    ]),
  )
}
