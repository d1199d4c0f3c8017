import { randomUUID } from 'node:crypto'
import { caseKey, searchKey } from '~/lib/text.ts'
import type { Ctx } from '~/services/context.ts'
import type { Database } from '~db/client.server.ts'
import { planOf } from './context.ts'

type Options = { name?: string; site?: 'institutional' | 'ns'; plan?: string }

/** A published course without modules, for lists. */
export async function aCourse(db: Database, options: Options = {}): Promise<{ id: number; uid: string; name: string }> {
  const name = options.name ?? `Course ${randomUUID()}`
  const key = options.site ?? 'institutional'
  const { id: siteId } = await db.selectFrom('sites').select('id').where('key', '=', key).executeTakeFirstOrThrow()
  const course = await db
    .insertInto('courses')
    .values({ site_id: siteId, name, name_key: caseKey(name), search_key: searchKey(name) })
    .returning(['id', 'uid'])
    .executeTakeFirstOrThrow()
  const version = await db
    .insertInto('course_versions')
    .values({ site_id: siteId, course_id: course.id, version: 1, author_name: 'A' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .updateTable('courses')
    .set({ published_version_id: version.id, latest_version_id: version.id })
    .where('id', '=', course.id)
    .execute()
  const access_plan_id = await planOf(db, siteId, options.plan ?? 'Full Access')
  await db.insertInto('course_access_plans').values({ site_id: siteId, course_id: course.id, access_plan_id }).execute()
  return { ...course, name }
}

/** A published course with these modules in one chapter, the first of them also in a second one. */
export async function aCourseOf(ctx: Ctx, modules: { id: number }[]): Promise<{ uid: string; versionId: number }> {
  const { db } = ctx
  const site_id = ctx.site.id
  const course = await db
    .insertInto('courses')
    .values({ site_id, name: 'Course', name_key: 'course', search_key: 'course' })
    .returning(['id', 'uid'])
    .executeTakeFirstOrThrow()
  const version = await db
    .insertInto('course_versions')
    .values({ site_id, course_id: course.id, version: 1 })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db.updateTable('courses').set({ published_version_id: version.id }).where('id', '=', course.id).execute()
  const section = await db
    .insertInto('course_sections')
    .values({ version_id: version.id, name: 'S', position: 0 })
    .returning('id')
    .executeTakeFirstOrThrow()
  const chapters = await db
    .insertInto('course_chapters')
    .values([0, 1].map((position) => ({ site_id, version_id: version.id, section_id: section.id, position })))
    .returning('id')
    .execute()
  const places = [...modules.map((module) => [chapters[0], module] as const), [chapters[1], modules[0]] as const]
  await db
    .insertInto('course_chapter_modules')
    .values(
      places.map(([chapter, module], position) => ({
        site_id,
        chapter_id: chapter?.id ?? 0,
        module_id: module?.id ?? 0,
        position,
      })),
    )
    .execute()
  return { uid: course.uid, versionId: version.id }
}
