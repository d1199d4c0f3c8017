/**
 * Reads many versions of courses with their contents, by version uid. Versions that the viewer may not see are missing.
 */
import { sql } from 'kysely'
import { groupBy } from '~/lib/groups.ts'
import { isListed, seesDrafts } from '../access/access.server.ts'
import type { Ctx } from '../context.ts'

export type CourseVersion = {
  uid: string
  courseUid: string
  version: number
  status: 'draft' | 'published'
  /** Null for learners, and if the author was erased or was the operator. */
  author: { uid: string; firstName: string; lastName: string; email: string } | null
}

export type VersionSection = {
  uid: string
  name: string
  description: string
  rank: number
  chapters: { uid: string; name: string; description: string; moduleUids: string[] }[]
}

function selectVersions(ctx: Ctx) {
  const query = ctx.db
    .selectFrom('course_versions as version')
    .innerJoin('courses', 'courses.id', 'version.course_id')
    .where(isListed(ctx, 'courses'))
  return seesDrafts(ctx) ? query : query.whereRef('courses.published_version_id', '=', 'version.id')
}

export async function listCourseVersions(ctx: Ctx, versionUids: string[]): Promise<Map<string, CourseVersion>> {
  if (versionUids.length === 0) return new Map()
  const rows = await selectVersions(ctx)
    .leftJoin('users as author', 'author.id', 'version.author_id')
    .select([
      'version.uid',
      'courses.uid as courseUid',
      'version.version',
      sql<boolean>`courses.published_version_id is not distinct from version.id`.as('isPublished'),
      'author.uid as authorUid',
      'author.first_name as firstName',
      'author.last_name as lastName',
      'author.email',
    ])
    .where('version.uid', 'in', versionUids)
    .execute()
  const forStaff = seesDrafts(ctx)
  return new Map(
    rows.map(({ uid, courseUid, version, isPublished, authorUid, firstName, lastName, email }) => [
      uid,
      {
        uid,
        courseUid,
        version,
        status: isPublished ? 'published' : 'draft',
        author:
          forStaff && authorUid !== null && email !== null
            ? { uid: authorUid, firstName: firstName ?? '', lastName: lastName ?? '', email }
            : null,
      },
    ]),
  )
}

/** Returns sections in order, with their chapters and the uids of the chapters' modules. */
export async function listSectionsOfVersions(ctx: Ctx, versionUids: string[]): Promise<Map<string, VersionSection[]>> {
  if (versionUids.length === 0) return new Map()
  const rows = await selectVersions(ctx)
    .innerJoin('course_sections as section', 'section.version_id', 'version.id')
    .leftJoin('course_chapters as chapter', 'chapter.section_id', 'section.id')
    .select((eb) => [
      'version.uid as versionUid',
      'section.uid as sectionUid',
      'section.name as sectionName',
      'section.description as sectionDescription',
      'section.position as rank',
      'chapter.uid as chapterUid',
      'chapter.name as chapterName',
      'chapter.description as chapterDescription',
      eb
        .selectFrom('course_chapter_modules as spot')
        .innerJoin('modules', 'modules.id', 'spot.module_id')
        .select(
          sql<string[]>`coalesce(array_agg(modules.uid::text order by spot.position, modules.id), '{}')`.as('uids'),
        )
        .whereRef('spot.chapter_id', '=', 'chapter.id')
        .where('modules.deleted_at', 'is', null)
        .as('moduleUids'),
    ])
    .where('version.uid', 'in', versionUids)
    .orderBy('section.position')
    .orderBy('section.id')
    .orderBy('chapter.position')
    .orderBy('chapter.id')
    .execute()
  const byVersion = groupBy(
    rows,
    (row) => row.versionUid,
    (row) => row,
  )
  return new Map([...byVersion].map(([uid, rows]) => [uid, sectionsOf(rows)]))
}

type Row = {
  sectionUid: string
  sectionName: string
  sectionDescription: string
  rank: number
  chapterUid: string | null
  chapterName: string | null
  chapterDescription: string | null
  moduleUids: string[] | null
}

function sectionsOf(rows: Row[]): VersionSection[] {
  const bySection = groupBy(
    rows,
    (row) => row.sectionUid,
    (row) => row,
  )
  return [...bySection.values()].flatMap((rows) => {
    const [first] = rows
    if (!first) return []
    const chapters = rows.flatMap(({ chapterUid, chapterName, chapterDescription, moduleUids }) =>
      chapterUid === null
        ? []
        : [
            {
              uid: chapterUid,
              name: chapterName ?? '',
              description: chapterDescription ?? '',
              moduleUids: moduleUids ?? [],
            },
          ],
    )
    const { sectionUid, sectionName, sectionDescription, rank } = first
    return [{ uid: sectionUid, name: sectionName, description: sectionDescription, rank, chapters }]
  })
}
