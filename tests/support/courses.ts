import { randomUUID } from 'node:crypto'
import { caseKey, searchKey } from '~/lib/text.ts'
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
