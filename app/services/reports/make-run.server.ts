/** One report at one time: finds out whether it is empty, and queues a mail for each recipient, in the transaction around it. */
import { sql } from 'kysely'
import type { ReportQuestion } from '~/forms/reports.ts'
import { dayOf } from '~/lib/zoned-time.ts'
import type { Ctx } from '../context.ts'
import { queueAll } from '../queue/queue.server.ts'
import { whyNoAdmin } from './report-recipients.server.ts'
import { getReportChoice, listReportFigures } from './reports.server.ts'

/** What the mail of a run says. It names no figures: with filters, they may be those of one person. */
export type RunContent = {
  title: string
  /** `last_month`; null for everything. */
  period: string | null
  firstDay: string | null
  lastDay: string
  isEmpty: boolean
  /** How many reports before it nobody has opened. */
  unopened: number
}

type Report = { id: number; path: string; question: ReportQuestion }
type Run = { runUid: string; dueAt: Date; isExtra: boolean; unopened: number }

/**
 * Makes a run for an actor who may see the report. Its period is as of the due time. Null if it has been made
 * before.
 */
export async function makeRun(
  ctx: Ctx,
  { id, path, question }: Report,
  { runUid, dueAt, isExtra, unopened }: Run,
): Promise<{ recipients: number } | null> {
  const then = { ...ctx, now: dueAt }
  const { choice, lastingTitle, period } = await getReportChoice(then, { path, question })
  const [figures] = await listReportFigures(then, [{ path, question }])
  const content: RunContent = {
    title: lastingTitle,
    period: choice.period,
    firstDay: period.firstDay,
    lastDay: period.lastDay,
    isEmpty: !figures?.count,
    unopened,
  }
  const made = await ctx.db
    .insertInto('report_runs')
    .values({
      uid: runUid,
      site_id: ctx.site.id,
      scheduled_report_id: id,
      due_at: dueAt,
      is_extra: isExtra,
      report: path,
      question: JSON.stringify(question),
      as_of: sql<Date>`${dayOf(dueAt, ctx.site.timeZone)}::date`,
      content: JSON.stringify(content),
      made_at: ctx.now,
    })
    .onConflict((oc) => oc.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!made) return null
  const { rows } = await sql<{ uid: string; isLeftOut: boolean }>`
    with made as (
      insert into report_run_people (report_run_id, site_id, user_id, is_recipient, left_out)
      select ${made.id}, ${ctx.site.id}, users.id, true, case
        when ${whyNoAdmin(sql.ref('users'))} is not null then 'no_admin'
        when users.opted_out_of_reports then 'opted_out' end
      from scheduled_report_recipients recipient join users on users.id = recipient.user_id
      where recipient.scheduled_report_id = ${id} order by users.id
      returning user_id, left_out)
    select users.uid, made.left_out is not null as "isLeftOut" from made join users on users.id = made.user_id`.execute(
    ctx.db,
  )
  const jobs = rows
    .filter(({ isLeftOut }) => !isLeftOut)
    .map(({ uid }) => ({ payload: { runUid, userUid: uid }, key: `report-mail:${runUid}:${uid}` }))
  if (jobs.length > 0) await queueAll(ctx, 'send-report-mail', jobs)
  return { recipients: jobs.length }
}
