/** Opening a report that was sent by email: what it shows, and who opened it. For admins of the site. */
import { sql } from 'kysely'
import { findReport } from '~/forms/report-list.ts'
import { type ReportChoice, type ReportQuestion, readReportQuestion } from '~/forms/reports.ts'
import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireAdmin, requireViewer } from '../context.ts'
import { NotFound } from '../errors.ts'

/** Returns the question of a report that was sent, with the day on which it was asked. */
export async function getReportRun(
  ctx: Ctx,
  input: { runUid: string },
): Promise<{ path: string; choice: ReportChoice }> {
  requireAdmin(ctx)
  if (!isUid(input.runUid)) throw new NotFound()
  const { rows } = await sql<{ path: string; question: ReportQuestion; on: string }>`
    select report as path, question, as_of::text as on from report_runs
    where site_id = ${ctx.site.id} and uid = ${input.runUid}`.execute(ctx.db)
  const [run] = rows
  const report = run && findReport(run.path)
  const read = report && readReportQuestion(report, { ...run.question, on: run.on })
  if (!report || !read?.ok) throw new NotFound()
  return { path: report.path, choice: read.choice }
}

/** Records the first opening by the viewer with a single SQL statement. Call it after the response. */
export async function markReportOpened(ctx: Ctx, input: { runUid: string }): Promise<void> {
  requireAdmin(ctx, 'write')
  const viewer = requireViewer(ctx, 'write')
  if (!isUid(input.runUid)) return
  await sql`
    insert into report_run_people (report_run_id, site_id, user_id, is_recipient, opened_at)
    select id, site_id, ${viewer.id}, false, ${ctx.now} from report_runs
    where site_id = ${ctx.site.id} and uid = ${input.runUid}
    on conflict (report_run_id, user_id) do update set opened_at = excluded.opened_at
    where report_run_people.opened_at is null`.execute(ctx.db)
}
