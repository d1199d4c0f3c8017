import { sql } from 'kysely'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, Unavailable } from '../errors.ts'
import { newUid } from '../input.ts'
import { countAttempts } from '../limits/limits.server.ts'
import { makeRun } from './make-run.server.ts'
import { lockReport, refuseUnanswerable } from './scheduled-reports.server.ts'

/** How often a report can be sent by hand within an hour. */
const mostExtraRuns = 5
const hourSeconds = 3600

/**
 * Sends a report now, in addition to its due times. With a `runUid` made by the client, a repeated request sends it once. Returns
 * how many colleagues get it.
 */
export async function sendReportNow(
  ctx: Ctx,
  input: { reportUid: string; runUid?: string },
): Promise<{ recipients: number }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const report = await lockReport(ctx, input.reportUid)
    const runUid = newUid(input.runUid)
    const recipients = await countMailsOfRun(ctx, { reportId: report.id, runUid })
    if (recipients !== null) return { recipients }
    await refuseUnanswerable(ctx, report)
    const made = await makeRun(ctx, report, { runUid, dueAt: ctx.now, isExtra: true, unopened: 0 })
    // Another report has a run of this uid.
    if (!made) throw new Conflict('scheduled_report.run', 'The report has not been sent. Please try again.')
    const [count = 0] = await countAttempts(ctx, [`report-now:${report.uid}`], hourSeconds)
    if (count > mostExtraRuns)
      throw new Unavailable(
        `This report has been sent ${mostExtraRuns} times within an hour. Try again later.`,
        hourSeconds,
      )
    await recordAudit(ctx, { action: 'scheduled_report.sent_now', entity: 'scheduled_report', entityUid: report.uid })
    return made
  })
}

/** Counts to whom a run of the report went that was made before; null if there is none. */
async function countMailsOfRun(
  ctx: Ctx,
  { reportId, runUid }: { reportId: number; runUid: string },
): Promise<number | null> {
  const { rows } = await sql<{ count: number }>`
    select count(person.user_id) filter (where person.is_recipient and person.left_out is null)::int as count
    from report_runs run left join report_run_people person on person.report_run_id = run.id
    where run.uid = ${runUid}::uuid and run.scheduled_report_id = ${reportId} group by run.id`.execute(ctx.db)
  return rows[0]?.count ?? null
}
