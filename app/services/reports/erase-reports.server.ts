import { sql } from 'kysely'
import type { SystemCtx } from '../context.ts'
import { eraseSubjects } from '../mail/erase-mails.server.ts'

/** What the subject of a mail becomes that named somebody. */
const erasedSubject = 'A report about somebody whose data was erased'

/**
 * Part of the erasure of people: the views that they saved, and the reports that they scheduled, were sent or had
 * prepared as files. Of other people's reports about them alone, the files and what was sent go too, because these have their
 * names; a schedule ends by itself. `deleteExpiredReportFiles` deletes the bytes of files.
 */
export async function eraseReports(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  await ctx.db.deleteFrom('saved_views').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('scheduled_reports').where('owner_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('scheduled_report_recipients').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('report_files').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('report_run_people').where('user_id', 'in', input.userIds).execute()
  await eraseReportsAbout(ctx, input)
}

async function eraseReportsAbout(ctx: SystemCtx, { userIds }: { userIds: number[] }): Promise<void> {
  const isAboutThem = sql<boolean>`
    lower(question -> 'filters' ->> 'person') in (select uid::text from users where id = any(${userIds}))`
  const { rows: told } = await sql<{ siteId: number; source: string }>`
    select site_id as "siteId", 'report-file:' || uid as source from report_files where ${isAboutThem}
    union all
    select run.site_id, 'report:' || run.uid || ':' || users.uid
    from report_runs run
      join report_run_people person on person.report_run_id = run.id
      join users on users.id = person.user_id
    where ${isAboutThem}`.execute(ctx.db)
  await eraseSubjects(ctx, { told, subject: erasedSubject })
  await ctx.db.deleteFrom('report_files').where(isAboutThem).execute()
  await ctx.db.deleteFrom('report_runs').where(isAboutThem).execute()
}
