/**
 * The jobs of scheduled reports. A report goes out once for each due time: a unique row decides it, and its mails are
 * queued in the same transaction. What was missed while no worker ran goes out once, for the last due time.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { ReportQuestion } from '~/forms/reports.ts'
import { scheduledReportLimits } from '~/forms/scheduled-reports.ts'
import { latestTime, nextTime, type ReportTimes } from '~/lib/report-times.ts'
import { recordAudit } from '../audit/audit.server.ts'
import type { Ctx } from '../context.ts'
import { unsubscribeUrlOf } from '../mail/letter.ts'
import { sendMail } from '../mail/send-mail.server.ts'
import { workThroughDue } from '../queue/work-through-due.server.ts'
import { findViewer } from '../sessions/sessions.server.ts'
import { makeRun, type RunContent } from './make-run.server.ts'
import { reportLetter } from './report-letter.ts'
import { maySeeReports, whyNoAdmin } from './report-recipients.server.ts'
import { whyUnanswerable } from './why-unanswerable.ts'

type Counts = { sent: number; paused: number; stopped: number }

/** Job, each minute: sends the reports of the site whose time has come. */
export async function runScheduledReports(ctx: Ctx): Promise<Counts> {
  const counts: Counts = { sent: 0, paused: 0, stopped: 0 }
  const failure = 'a scheduled report could not be made'
  for (const result of await workThroughDue(ctx, { take: takeDueReport, run: runReport, failure })) counts[result] += 1
  return counts
}

type DueReport = {
  id: number
  uid: string
  path: string
  question: ReportQuestion
  often: ReportTimes
  nextAt: Date
  ownerId: number
  ownerProblem: 'deleted' | 'disabled' | 'no_admin' | null
  /** How many of its last reports nobody has opened. */
  unopened: number
}

async function takeDueReport(ctx: Ctx, except: number[]): Promise<DueReport | undefined> {
  const { rows } = await sql<DueReport>`
    select report.id, report.uid, report.report as path, report.question, report.next_at as "nextAt",
      json_build_object('every', report.often, 'day', report.day, 'time', report.time) as often,
      report.owner_id as "ownerId", ${whyNoAdmin(sql.ref('owner'))} as "ownerProblem",
      (select count(*)::int from report_runs run
        where run.scheduled_report_id = report.id and not run.is_extra and run.due_at > report.counted_from
          and run.due_at > coalesce((
            select max(opened.due_at) from report_runs opened join report_run_people person
              on person.report_run_id = opened.id
            where opened.scheduled_report_id = report.id and person.opened_at is not null), '-infinity')) as unopened
    from scheduled_reports report join users owner on owner.id = report.owner_id
    where report.site_id = ${ctx.site.id} and report.next_at <= ${ctx.now} and report.deleted_at is null
      and report.id <> all(${except}::bigint[])
    order by report.next_at, report.id limit 1 for update of report skip locked`.execute(ctx.db)
  return rows[0]
}

async function runReport(ctx: Ctx, report: DueReport): Promise<keyof Counts> {
  const { id, often, nextAt, ownerId, ownerProblem, unopened } = report
  const owner = await findViewer(ctx, { userId: ownerId })
  if (ownerProblem !== null || !owner) return end(ctx, report, 'stopped', ownerProblems[ownerProblem ?? 'no_admin'])
  if (unopened >= scheduledReportLimits.unopened) return end(ctx, report, 'unopened', null)
  const { timeZone } = ctx.site
  const dueAt = latestTime(often, nextAt, ctx.now, timeZone)
  await sql`savepoint scheduled_report`.execute(ctx.db)
  try {
    await makeRun({ ...ctx, viewer: owner }, report, { runUid: randomUUID(), dueAt, isExtra: false, unopened })
  } catch (error) {
    const why = whyUnanswerable(error)
    if (why === null) throw error
    await sql`rollback to savepoint scheduled_report`.execute(ctx.db)
    return end(ctx, report, 'stopped', why)
  }
  await ctx.db
    .updateTable('scheduled_reports')
    .set({ next_at: nextTime(often, ctx.now, timeZone) })
    .where('id', '=', id)
    .execute()
  return 'sent'
}

/** Why a report stopped, by what became of its owner. */
export const ownerProblems = {
  deleted: 'The account of its owner was deleted.',
  disabled: 'The account of its owner is disabled.',
  no_admin: 'Its owner is no longer an admin.',
} as const

async function end(
  ctx: Ctx,
  { id, uid }: DueReport,
  state: 'stopped' | 'unopened',
  problem: string | null,
): Promise<keyof Counts> {
  await ctx.db
    .updateTable('scheduled_reports')
    .set({ state, problem, next_at: null, updated_at: ctx.now })
    .where('id', '=', id)
    .execute()
  const verb = state === 'stopped' ? 'stopped' : 'paused'
  const after = { reason: problem ?? 'Nobody opened the last three reports.' }
  await recordAudit(ctx, {
    action: `scheduled_report.${verb}`,
    entity: 'scheduled_report',
    entityUid: uid,
    after,
  })
  return verb
}

/**
 * Job: sends the mail of one run to one recipient, at most once. Whoever lost the right to see it or opted out since gets
 * none, and what was deleted since is not sent.
 */
export async function sendReportMail(ctx: Ctx, input: { runUid: string; userUid: string }): Promise<{ sent: number }> {
  const { rows } = await sql<Found>`
    select run.content, run.uid as "runUid", report.name::text, trim(concat_ws(' ', owner.first_name, owner.last_name)) as owner,
      users.uid as "userUid", coalesce(users.first_name, '') as "firstName", coalesce(users.last_name, '') as "lastName",
      users.email
    from report_runs run
    join scheduled_reports report on report.id = run.scheduled_report_id
    join users owner on owner.id = report.owner_id
    join report_run_people person on person.report_run_id = run.id
    join users on users.id = person.user_id
    where run.site_id = ${ctx.site.id} and run.uid = ${input.runUid} and users.uid = ${input.userUid}
      and person.is_recipient and person.left_out is null and report.deleted_at is null
      and users.email is not null and not users.opted_out_of_reports
      and ${maySeeReports(sql.ref('users'))}`.execute(ctx.db)
  const [found] = rows
  if (!found) return { sent: 0 }
  const { isAccepted } = await sendMail(ctx, {
    kind: 'report',
    source: `report:${found.runUid}:${found.userUid}`,
    userUid: found.userUid,
    isOnce: true,
    write: ({ token }) => reportLetter(ctx.site, found, { unsubscribeUrl: unsubscribeUrlOf(ctx.site, token) }),
  })
  return { sent: isAccepted ? 1 : 0 }
}

type Found = {
  content: RunContent
  runUid: string
  name: string
  owner: string
  userUid: string
  firstName: string
  lastName: string
  email: string
}
