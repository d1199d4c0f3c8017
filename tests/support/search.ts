/** Searchable content, and the jobs that index it, which run here instead of in a worker. */
import { sql } from 'kysely'
import { indexContentJob, indexMissingContent } from '~/jobs/index-content.ts'
import { searchKey } from '~/lib/text.ts'
import type { Ctx } from '~/services/context.ts'
import { indexContent, type SearchKind } from '~/services/search/documents.server.ts'
import type { Database } from '~db/client.server.ts'
import { planOf } from './context.ts'
import { takeJobs } from './jobs.ts'

type Spec = { name: string; description?: string; transcript?: string; plan?: string | null; isPublished?: boolean }

/** A lecture or a video with a document; by default published and in Full Access. */
export async function aFilm(ctx: Ctx, kind: 'lecture' | 'video', spec: Spec): Promise<{ uid: string; id: number }> {
  const values = {
    site_id: ctx.site.id,
    name: spec.name,
    search_key: searchKey(spec.name),
    description: spec.description ?? '',
    transcript: spec.transcript ?? null,
    status: spec.isPublished === false ? 'draft' : 'published',
  }
  const row =
    kind === 'lecture'
      ? await ctx.db.insertInto('lectures').values(values).returning(['id', 'uid']).executeTakeFirstOrThrow()
      : await ctx.db
          .insertInto('videos')
          .values({ ...values, category: 'expert' })
          .returning(['id', 'uid'])
          .executeTakeFirstOrThrow()
  if (spec.plan !== null) await addToPlan(ctx, kind, row.id, spec.plan ?? 'Full Access')
  await indexContent(ctx, { kind, uids: [row.uid] })
  return row
}

export async function aCourse(ctx: Ctx, spec: Spec): Promise<{ uid: string; id: number }> {
  const row = await ctx.db
    .insertInto('courses')
    .values({
      site_id: ctx.site.id,
      name: spec.name,
      name_key: searchKey(spec.name),
      search_key: searchKey(spec.name),
      description: spec.description ?? '',
    })
    .returning(['id', 'uid'])
    .executeTakeFirstOrThrow()
  const version = await ctx.db
    .insertInto('course_versions')
    .values({ course_id: row.id, version: 1, site_id: ctx.site.id } as never)
    .returning('id')
    .executeTakeFirstOrThrow()
  await ctx.db
    .updateTable('courses')
    .set({ latest_version_id: version.id, ...(spec.isPublished !== false && { published_version_id: version.id }) })
    .where('id', '=', row.id)
    .execute()
  if (spec.plan !== null) await addToPlan(ctx, 'course', row.id, spec.plan ?? 'Full Access')
  await indexContent(ctx, { kind: 'course', uids: [row.uid] })
  return row
}

async function addToPlan(ctx: Ctx, kind: 'lecture' | 'video' | 'course', id: number, plan: string): Promise<void> {
  const planId = await planOf(ctx.db, ctx.site.id, plan)
  await sql`
    insert into ${sql.table(`${kind}_access_plans`)} (site_id, ${sql.ref(`${kind}_id`)}, access_plan_id)
    values (${ctx.site.id}, ${id}, ${planId})`.execute(ctx.db)
}

export async function runIndexJobs(ctx: Ctx): Promise<number> {
  const jobs = await takeJobs(ctx.db, 'index-content')
  for (const job of jobs) await indexContentJob(ctx, job)
  return jobs.length
}

/** Runs the job that writes missing and outdated documents, if it is queued. */
export async function runMissing(ctx: Ctx): Promise<void> {
  if ((await takeJobs(ctx.db, 'index-missing-content')).length > 0) await indexMissingContent(ctx)
}

export async function documentsOf(db: Database, kind: SearchKind, title: string) {
  return await db
    .selectFrom('search_documents')
    .select(['title', 'body', 'site_id'])
    .where('kind', '=', kind)
    .where('title', '=', title)
    .execute()
}
