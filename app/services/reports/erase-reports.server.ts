import { sql } from 'kysely'
import type { SystemCtx } from '../context.ts'

/**
 * Part of the erasure of people: the views that they saved, and the reports that they scheduled, were sent or had
 * prepared as files. Files that others had prepared about one of these people, or about a position that nobody else of
 * the site has, are deleted too: they contain the name, or what that person typed. A schedule about such a person stops
 * by itself, and its mails have no name. Call it before answers are erased. `deleteExpiredReportFiles` deletes the bytes
 * of files.
 */
export async function eraseReports(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  await ctx.db.deleteFrom('saved_views').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('scheduled_reports').where('owner_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('scheduled_report_recipients').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('report_files').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('report_run_people').where('user_id', 'in', input.userIds).execute()
  await sql`
    delete from report_files
    where lower(question -> 'filters' ->> 'person') in (
        select uid::text from users where id = any(${input.userIds}::bigint[]))
      or (site_id, question -> 'filters' ->> 'position') in (
        select site_id, position from user_facets where position is not null
        group by site_id, position having bool_and(user_id = any(${input.userIds}::bigint[])))`.execute(ctx.db)
}
