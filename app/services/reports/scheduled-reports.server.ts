/**
 * Scheduled reports: a question that is asked again at set times, and whose answer colleagues are told of by email. The
 * mail has a link and no file, so that only who may see the report sees it. A report needs the right of its owner. All
 * admins of the site see and change all of them.
 */
import { type RawBuilder, sql } from 'kysely'
import type { z } from 'zod'
import { questionOfChoice, type ReportQuestion, whyNotKept } from '~/forms/reports.ts'
import { scheduledReportForm, scheduledReportLimits, timesInWords } from '~/forms/scheduled-reports.ts'
import { nextTime, type ReportTimes } from '~/lib/report-times.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin, requireViewer } from '../context.ts'
import { Conflict, Invalid, NotFound } from '../errors.ts'
import { newUid, parseInput } from '../input.ts'
import { limitsOfPage, type NumberedPageInput } from '../paging.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import { changedFields, mergeSave, pickFields } from '../revisions.ts'
import { type DescribedQuestion, describeQuestions } from './describe-questions.server.ts'
import { refuseOthers, whyNoAdmin } from './report-recipients.server.ts'
import { getReportChoice } from './reports.server.ts'
import { isInstitutionUnknown, whyUnanswerable } from './why-unanswerable.ts'

/** Fields that are compared as a whole. */
const ordered = ['often'] as const

/** What its form has. */
export type ScheduleState = z.output<typeof scheduledReportForm>
type ScheduleInput = z.input<typeof scheduledReportForm>

export type ReportState = 'active' | 'paused' | 'unopened' | 'stopped'

export type ScheduledReport = {
  uid: string
  /** Empty if nobody gave it one. */
  name: string
  path: string
  question: ReportQuestion
  often: ReportTimes
  state: ReportState
  /** Why it stopped. That may be over. */
  problem: string | null
  nextAt: Date | null
  revision: number
  owner: string
  ownerProblem: 'deleted' | 'disabled' | 'no_admin' | null
  /** `problem`: why they get no mail. */
  recipients: { uid: string; name: string; problem: 'deleted' | 'disabled' | 'no_admin' | 'opted_out' | null }[]
  last: { runUid: string; dueAt: Date; isEmpty: boolean; sent: number; openedBy: string[] } | null
}

export type DescribedReport = ScheduledReport & { described: DescribedQuestion }

const nameOf = (user: RawBuilder<unknown>) =>
  sql`coalesce(nullif(concat_ws(' ', ${user}.first_name, ${user}.last_name), ''), 'Somebody')`

const owner = sql.ref('owner')
const person = sql.ref('person')

const columns = sql`
  report.uid, report.name::text, report.report as path, report.question, report.state, report.problem,
  report.next_at as "nextAt", report.revision,
  json_build_object('every', report.often, 'day', report.day, 'time', report.time) as often,
  ${nameOf(owner)} as owner, ${whyNoAdmin(owner)} as "ownerProblem",
  (select coalesce(json_agg(json_build_object('uid', person.uid, 'name', ${nameOf(person)},
      'problem', coalesce(${whyNoAdmin(person)}, case when person.opted_out_of_reports then 'opted_out' end))
      order by person.name_key, person.id), '[]')
    from scheduled_report_recipients recipient join users person on person.id = recipient.user_id
    where recipient.scheduled_report_id = report.id) as recipients,
  (select json_build_object('runUid', run.uid, 'dueAt', run.due_at, 'isEmpty', (run.content ->> 'isEmpty')::boolean,
      'sent', (select count(*) from report_run_people sent
        where sent.report_run_id = run.id and sent.is_recipient and sent.left_out is null),
      'openedBy', (select coalesce(json_agg(${nameOf(person)} order by opened.opened_at), '[]')
        from report_run_people opened join users person on person.id = opened.user_id
        where opened.report_run_id = run.id and opened.opened_at is not null))
    from report_runs run where run.scheduled_report_id = report.id order by run.due_at desc limit 1) as last`

const source = sql`scheduled_reports report join users owner on owner.id = report.owner_id`

async function readReports(
  ctx: Ctx,
  which: RawBuilder<unknown>,
  rest: RawBuilder<unknown>,
): Promise<ScheduledReport[]> {
  type Row = ScheduledReport & { last: { dueAt: string } | null }
  const { rows } = await sql<Row>`
    select ${columns} from ${source}
    where report.site_id = ${ctx.site.id} and report.deleted_at is null and ${which} ${rest}`.execute(ctx.db)
  return rows.map((row) => ({
    ...row,
    // JSON has no dates.
    last: row.last && { ...row.last, dueAt: new Date(row.last.dueAt) },
  }))
}

/** Lists the scheduled reports of the site, the newest first. A change leaves each in its place. */
export async function listScheduledReports(
  ctx: Ctx,
  input: NumberedPageInput = {},
): Promise<{ items: DescribedReport[]; total: number }> {
  requireAdmin(ctx)
  const { limit, offset } = limitsOfPage({ size: scheduledReportLimits.page, ...input })
  const [reports, { rows: counts }] = await Promise.all([
    readReports(ctx, sql`true`, sql`order by report.id desc limit ${limit} offset ${offset}`),
    sql<{ total: number }>`
      select count(*)::int as total from scheduled_reports
      where site_id = ${ctx.site.id} and deleted_at is null`.execute(ctx.db),
  ])
  const described = await describeQuestions(ctx, reports)
  return {
    items: reports.map((report, index) => ({ ...report, described: described[index] as DescribedQuestion })),
    total: counts[0]?.total ?? 0,
  }
}

/** Returns a scheduled report of the site. */
export async function getScheduledReport(ctx: Ctx, input: { reportUid: string }): Promise<DescribedReport> {
  requireAdmin(ctx)
  const [report] = isUid(input.reportUid) ? await readReports(ctx, sql`report.uid = ${input.reportUid}`, sql``) : []
  if (!report) throw new NotFound()
  const [described] = await describeQuestions(ctx, [report])
  return { ...report, described: described as DescribedQuestion }
}

/**
 * Schedules a question. The viewer becomes its owner. With a `uid` made by the client, a repeated request schedules it
 * once; what has been typed since is saved as a change.
 */
export async function createScheduledReport(
  ctx: Ctx,
  input: ScheduleInput & { uid?: string; path: string; question: ReportQuestion },
): Promise<{ uid: string; nextAt: Date }> {
  requireAdmin(ctx, 'write')
  const viewer = requireViewer(ctx, 'write')
  const values = parseInput(scheduledReportForm, input)
  const { report, choice } = await getReportChoice(ctx, input)
  const reason = whyNotKept(report, choice)
  if (reason !== null) throw new Invalid(reason)
  const uid = newUid(input.uid)
  const nextAt = nextTime(values.often, ctx.now, ctx.site.timeZone)
  return inTransaction(ctx, async (ctx) => {
    await sql`select from users where id = ${viewer.id} for no key update`.execute(ctx.db)
    await refuseOthers(ctx, values.recipients)
    const known = await findRepeated(ctx, uid)
    if (known) {
      await updateScheduledReport(ctx, { ...input, reportUid: uid, revision: 0 })
      return { uid, nextAt }
    }
    await refuseMore(ctx, viewer.id)
    const row = {
      uid,
      site_id: ctx.site.id,
      owner_id: viewer.id,
      report: report.path,
      question: JSON.stringify(questionOfChoice(choice)),
      ...columnsOf(values),
    }
    const times = { next_at: nextAt, counted_from: ctx.now, created_at: ctx.now, updated_at: ctx.now }
    const { id } = await ctx.db
      .insertInto('scheduled_reports')
      .values({ ...row, state: 'active', ...times })
      .returning('id')
      .executeTakeFirstOrThrow()
    await setRecipients(ctx, id, values.recipients)
    const after = { report: report.title, ...values, revision: 0 }
    await recordAudit(ctx, { action: 'scheduled_report.created', entity: 'scheduled_report', entityUid: uid, after })
    return { uid, nextAt }
  })
}

/** True if the same request has scheduled it before. Throws NotFound for a uid that is taken by something else. */
async function findRepeated(ctx: Ctx, uid: string): Promise<boolean> {
  const { rows } = await sql<{ isMine: boolean }>`
    select site_id = ${ctx.site.id} and owner_id = ${ctx.viewer?.id ?? 0} and deleted_at is null as "isMine"
    from scheduled_reports where uid = ${uid}`.execute(ctx.db)
  if (rows[0] && !rows[0].isMine) throw new NotFound()
  return rows.length > 0
}

/** Their row keeps the number right while others of theirs are scheduled or brought back at the same time. */
async function refuseMore(ctx: Ctx, ownerId: number): Promise<void> {
  const { reports: most } = scheduledReportLimits
  await sql`select from users where id = ${ownerId} for no key update`.execute(ctx.db)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from scheduled_reports
    where owner_id = ${ownerId} and deleted_at is null`.execute(ctx.db)
  if ((rows[0]?.count ?? 0) < most) return
  throw new Conflict('scheduled_report.too_many', `You can schedule at most ${most} reports. Delete one first.`)
}

function columnsOf({ name, often: { every, day, time } }: Pick<ScheduleState, 'name' | 'often'>) {
  return { name, often: every, day, time }
}

async function setRecipients(ctx: Ctx, reportId: number, uids: string[]): Promise<void> {
  await ctx.db.deleteFrom('scheduled_report_recipients').where('scheduled_report_id', '=', reportId).execute()
  await sql`
    insert into scheduled_report_recipients (scheduled_report_id, site_id, user_id)
    select ${reportId}, site_id, id from users
    where site_id = ${ctx.site.id} and uid = any(${uids}::uuid[]) order by id`.execute(ctx.db)
}

/**
 * Changes when a report goes out, to whom and its name. With the `revision` at which a form was opened, the change is
 * merged with what others have saved since (ChangedMeanwhile).
 */
export async function updateScheduledReport(
  ctx: Ctx,
  input: ScheduleInput & { reportUid: string; revision?: number },
): Promise<{ uid: string; keptOfOthers: (keyof ScheduleState)[] }> {
  requireAdmin(ctx, 'write')
  const mine = parseInput(scheduledReportForm, input)
  return inTransaction(ctx, async (ctx) => {
    const row = await lockReport(ctx, input.reportUid)
    const { name, often, recipients } = row
    const state: ScheduleState = { name, often, recipients }
    await refuseOthers(ctx, mine.recipients, recipients)
    const { changes, keptOfOthers } = await mergeSave<ScheduleState>(ctx, {
      entity: 'scheduled_report',
      entityUid: row.uid,
      subject: 'this scheduled report',
      now: { state, revision: row.revision },
      revision: input.revision,
      mine,
      ordered,
      describe: (field, now) =>
        field === 'name'
          ? `It is now “${now.name}”.`
          : field === 'often'
            ? `It is now: ${timesInWords(now.often)}.`
            : `It now has ${now.recipients.length === 1 ? 'one recipient' : `${now.recipients.length} recipients`}.`,
    })
    const fields = changedFields(state, changes, ordered)
    if (fields.length === 0) return { uid: row.uid, keptOfOthers }
    const next = { ...state, ...changes }
    const revision = row.revision + 1
    const isMoved = row.state === 'active' && fields.includes('often')
    await ctx.db
      .updateTable('scheduled_reports')
      .set({
        ...columnsOf(next),
        revision,
        updated_at: ctx.now,
        // Whoever is new may open what others did not.
        counted_from: ctx.now,
        ...(isMoved && { next_at: nextTime(next.often, ctx.now, ctx.site.timeZone) }),
      })
      .where('id', '=', row.id)
      .execute()
    if (fields.includes('recipients')) await setRecipients(ctx, row.id, next.recipients)
    await recordAudit(ctx, {
      action: 'scheduled_report.updated',
      entity: 'scheduled_report',
      entityUid: row.uid,
      before: pickFields(state, fields),
      after: { ...changes, revision },
    })
    return { uid: row.uid, keptOfOthers }
  })
}

/**
 * Keeps a report from going out until somebody resumes it. One that is paused already stays as it is; Conflict for one that
 * has stopped, or stops because it can no longer be made.
 */
export async function pauseScheduledReport(
  ctx: Ctx,
  input: { reportUid: string },
): Promise<{ name: string; path: string }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const { id, uid, name, state, path, question } = await lockReport(ctx, input.reportUid)
    if (state === 'paused' || state === 'unopened') return { name, path }
    await refuseUnanswerable(ctx, { path, question })
    if (state === 'stopped') throw new Conflict('scheduled_report.stopped', 'This report has stopped already.')
    await ctx.db
      .updateTable('scheduled_reports')
      .set({ state: 'paused', next_at: null, updated_at: ctx.now })
      .where('id', '=', id)
      .execute()
    await recordAudit(ctx, { action: 'scheduled_report.paused', entity: 'scheduled_report', entityUid: uid })
    return { name, path }
  })
}

/**
 * Lets a report go out again from its next time on. If its owner may no longer see reports, the viewer becomes its owner.
 */
export async function resumeScheduledReport(
  ctx: Ctx,
  input: { reportUid: string },
): Promise<{ name: string; path: string; nextAt: Date }> {
  requireAdmin(ctx, 'write')
  const viewer = requireViewer(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const { id, uid, name, state, often, nextAt, ownerId, path, question } = await lockReport(ctx, input.reportUid)
    await refuseUnanswerable(ctx, { path, question })
    if (state === 'active' && nextAt !== null) return { name, path, nextAt }
    const isOrphan = await isWithoutOwner(ctx, ownerId)
    if (isOrphan) await refuseMore(ctx, viewer.id)
    const next = nextTime(often, ctx.now, ctx.site.timeZone)
    await ctx.db
      .updateTable('scheduled_reports')
      .set({
        state: 'active',
        problem: null,
        next_at: next,
        counted_from: ctx.now,
        updated_at: ctx.now,
        ...(isOrphan && { owner_id: viewer.id }),
      })
      .where('id', '=', id)
      .execute()
    await recordAudit(ctx, { action: 'scheduled_report.resumed', entity: 'scheduled_report', entityUid: uid })
    return { name, path, nextAt: next }
  })
}

/** Throws Conflict for a report that can no longer be made, and says what helps. */
export async function refuseUnanswerable(ctx: Ctx, asked: { path: string; question: ReportQuestion }): Promise<void> {
  await getReportChoice(ctx, asked).catch(throwUnanswerable)
}

/** Translates the error of a question that can no longer be answered, and throws every other error as it is. */
export function throwUnanswerable(error: unknown): never {
  const why = whyUnanswerable(error)
  if (why === null) throw error
  const advice = isInstitutionUnknown(error) ? 'Choose another institution.' : 'Schedule another report.'
  throw new Conflict('scheduled_report.gone', `${why} ${advice}`)
}

async function isWithoutOwner(ctx: Ctx, ownerId: number): Promise<boolean> {
  const { rows } = await sql<{ problem: string | null }>`
    select ${whyNoAdmin(owner)} as problem from users owner where owner.id = ${ownerId}`.execute(ctx.db)
  return rows[0]?.problem !== null
}

/** Deletes a scheduled report. For thirty days it can be undone. */
export async function deleteScheduledReport(
  ctx: Ctx,
  input: { reportUid: string },
): Promise<{ uid: string; name: string }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const { id, uid, name, path } = await lockReport(ctx, input.reportUid)
    await ctx.db
      .updateTable('scheduled_reports')
      .set({ deleted_at: ctx.now, deleted_by: ctx.viewer?.id ?? null })
      .where('id', '=', id)
      .execute()
    const change = { entity: 'scheduled_report', entityUid: uid, before: { name, path } }
    await recordAudit(ctx, { action: 'scheduled_report.deleted', ...change })
    return { uid, name }
  })
}

/** Brings back a report that was deleted in the last thirty days. It goes out again from its next time on. */
export async function restoreScheduledReport(
  ctx: Ctx,
  input: { reportUid: string },
): Promise<{ uid: string; name: string }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const row = await lockReport(ctx, input.reportUid, { withDeleted: true })
    const { id, uid, name, often, state, deletedAt } = row
    if (deletedAt === null) return { uid, name }
    if (deletedAt <= daysAgo(ctx, restorableDays)) throw new NotFound('This report was deleted too long ago.')
    await refuseMore(ctx, row.ownerId)
    const next = state === 'active' ? nextTime(often, ctx.now, ctx.site.timeZone) : null
    await ctx.db
      .updateTable('scheduled_reports')
      .set({ deleted_at: null, deleted_by: null, next_at: next, counted_from: ctx.now })
      .where('id', '=', id)
      .execute()
    await recordAudit(ctx, { action: 'scheduled_report.restored', entity: 'scheduled_report', entityUid: uid })
    return { uid, name }
  })
}

/** A report that was deleted in the last thirty days. */
export type RemovedReport = { uid: string; name: string; path: string; removedAt: Date; removedBy: string }

/** Lists what `restoreScheduledReport` can bring back, newest first, up to a hundred. */
export async function listRemovedReports(ctx: Ctx): Promise<RemovedReport[]> {
  requireAdmin(ctx)
  const { rows } = await sql<RemovedReport>`
    select report.uid, report.name::text, report.report as path, report.deleted_at as "removedAt",
      concat_ws(' ', users.first_name, users.last_name) as "removedBy"
    from scheduled_reports report left join users on users.id = report.deleted_by
    where report.site_id = ${ctx.site.id} and report.deleted_at > ${daysAgo(ctx, restorableDays)}
    order by report.deleted_at desc, report.id desc limit 100`.execute(ctx.db)
  return rows
}

type LockedReport = {
  id: number
  uid: string
  name: string
  path: string
  question: ReportQuestion
  often: ReportTimes
  state: ReportState
  nextAt: Date | null
  ownerId: number
  revision: number
  deletedAt: Date | null
  recipients: string[]
}

export async function lockReport(ctx: Ctx, reportUid: string, { withDeleted = false } = {}): Promise<LockedReport> {
  if (!isUid(reportUid)) throw new NotFound()
  const { rows } = await sql<LockedReport>`
    select report.id, report.uid, report.name::text, report.report as path, report.question, report.state,
      report.next_at as "nextAt", report.owner_id as "ownerId", report.revision, report.deleted_at as "deletedAt",
      json_build_object('every', report.often, 'day', report.day, 'time', report.time) as often,
      array(select users.uid from scheduled_report_recipients recipient join users on users.id = recipient.user_id
        where recipient.scheduled_report_id = report.id order by users.uid) as recipients
    from scheduled_reports report
    where report.site_id = ${ctx.site.id} and report.uid = ${reportUid} for update of report`.execute(ctx.db)
  const [report] = rows
  if (!report || (report.deletedAt !== null && !withDeleted)) throw new NotFound()
  return report
}
