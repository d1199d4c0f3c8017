/** What hangs on lectures, read for many at once, by uid of the lecture; without an entry for what the viewer may not see. */
import { fileAddress, imageAddress } from '~/lib/file-address.ts'
import { isListed, seesDrafts } from '../access/access.server.ts'
import type { Ctx } from '../context.ts'
import { coverPictureUid } from '../storage/film-files.server.ts'

export type FileInfo = { originalFileName: string; name: string; size: number; url: string | null }

export async function listPlansOfLectures(
  ctx: Ctx,
  lectureUids: string[],
): Promise<Map<string, { uid: string; name: string }[]>> {
  const rows = await ctx.db
    .selectFrom('lectures')
    .innerJoin('lecture_access_plans', 'lecture_access_plans.lecture_id', 'lectures.id')
    .innerJoin('access_plans', 'access_plans.id', 'lecture_access_plans.access_plan_id')
    .select(['lectures.uid as lectureUid', 'access_plans.uid', 'access_plans.name'])
    .where('lectures.uid', 'in', lectureUids)
    .where(isListed(ctx, 'lectures'))
    .orderBy('access_plans.name')
    .execute()
  return grouped(rows, ({ lectureUid: _, ...plan }) => plan)
}

export async function listTagsOfLectures(
  ctx: Ctx,
  lectureUids: string[],
): Promise<Map<string, { uid: string; text: string }[]>> {
  const rows = await ctx.db
    .selectFrom('lectures')
    .innerJoin('lecture_tags', 'lecture_tags.lecture_id', 'lectures.id')
    .innerJoin('tags', 'tags.id', 'lecture_tags.tag_id')
    .select(['lectures.uid as lectureUid', 'tags.uid', 'tags.text'])
    .where('lectures.uid', 'in', lectureUids)
    .where(isListed(ctx, 'lectures'))
    .orderBy('tags.text')
    .execute()
  return grouped(rows, ({ lectureUid: _, ...tag }) => tag)
}

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

export async function listCoversOfLectures(ctx: Ctx, lectureUids: string[]): Promise<Map<string, FileInfo>> {
  const rows = await ctx.db
    .selectFrom('lectures')
    .innerJoin('stored_files', 'stored_files.id', 'lectures.cover_file_id')
    .select([
      'lectures.uid as lectureUid',
      'stored_files.original_file_name as originalFileName',
      'stored_files.name',
      'stored_files.size',
      coverPictureUid.as('imageUid'),
    ])
    .where('lectures.uid', 'in', lectureUids)
    .where(isListed(ctx, 'lectures'))
    .execute()
  return new Map(
    rows.map(({ lectureUid, imageUid, ...file }) => {
      // The picture that was made of it is for everyone; the original for staff only.
      const original = seesDrafts(ctx) ? fileAddress(file.name) : null
      const address = imageUid === null ? original : imageAddress(imageUid)
      return [lectureUid, { ...file, url: address && `${ctx.site.baseUrl}${address}` }]
    }),
  )
}

function grouped<Row extends { lectureUid: string }, T>(rows: Row[], toItem: (row: Row) => T): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const row of rows) {
    const group = groups.get(row.lectureUid)
    if (group) group.push(toItem(row))
    else groups.set(row.lectureUid, [toItem(row)])
  }
  return groups
}
