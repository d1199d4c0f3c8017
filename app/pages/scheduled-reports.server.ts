/** Scheduled reports in the console: their list, and the dialog of one. */
import { randomUUID } from 'node:crypto'
import type { ActionFunctionArgs } from '@remix-run/node'
import type {
  ReportInstitutionView,
  ScheduledReportRow,
  ScheduledReportsView,
  ScheduleReportView,
} from '~/components/console/reports/view.ts'
import { findReport } from '~/forms/report-list.ts'
import { questionInWords } from '~/forms/reports.ts'
import { scheduledReportLimits, timesInWords, valuesOfTimes } from '~/forms/scheduled-reports.ts'
import type { SignedIn } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { revisionIn, text } from '~/http/respond.server.ts'
import { formatDay, formatMoment } from '~/lib/dates.ts'
import type { Ctx } from '~/services/context.ts'
import { listAllUniversities } from '~/services/institutions/institutions.server.ts'
import { needsNoInstitution } from '~/services/reports/report-institution.server.ts'
import { listColleagues } from '~/services/reports/report-recipients.server.ts'
import { ownerProblems } from '~/services/reports/run-scheduled-reports.server.ts'
import {
  createScheduledReport,
  type DescribedReport,
  getScheduledReport,
  listRemovedReports,
  listScheduledReports,
  type ScheduledReport,
  type ScheduleState,
  updateScheduledReport,
} from '~/services/reports/scheduled-reports.server.ts'
import { answerSave } from './content-forms.server.ts'
import { addressOf, askedAt, getSaveView, keptChoiceAt } from './saved-views.server.ts'

const list = '/dashboard/reports/scheduled/'

export async function getScheduledReports(ctx: Ctx, { page }: { page: number }): Promise<ScheduledReportsView> {
  const size = scheduledReportLimits.page
  const [{ items, total }, removed] = await Promise.all([
    listScheduledReports(ctx, { page, size }),
    listRemovedReports(ctx),
  ])
  return {
    rows: items.map((report) => rowOf(ctx, report)),
    timeZone: ctx.site.timeZone.replaceAll('_', ' '),
    ...{ page, size, total },
    removed: removed.map(({ uid, name, path, removedAt, removedBy }) => ({
      uid,
      name: nameOf({ name, path }),
      how: `Deleted on ${formatDay(removedAt, ctx.site.timeZone)}${removedBy === '' ? '' : ` by ${removedBy}`}`,
    })),
  }
}

/** The name that somebody gave it, or that of its report. */
export function nameOf({ name, path }: Pick<ScheduledReport, 'name' | 'path'>): string {
  return name || (findReport(path)?.title ?? path)
}

const recipientProblems = {
  deleted: 'account deleted',
  disabled: 'account disabled',
  no_admin: 'no longer an admin',
  opted_out: 'opted out of reports',
} as const

function rowOf(ctx: Ctx, report: DescribedReport): ScheduledReportRow {
  const { uid, path, often, state, nextAt, owner, recipients, last, described } = report
  const { choice, words } = described
  const problem = problemOf(report)
  const isGone = described.problem !== null
  return {
    uid,
    name: nameOf(report),
    to: choice && addressOf(path, choice),
    words: choice ? questionInWords(path, choice, words) : path,
    often: timesInWords(often),
    next: nextAt && problem === null ? formatMoment(nextAt, ctx.site.timeZone) : null,
    owner,
    recipients: recipients.map(({ name, problem }) => ({ name, problem: problem && recipientProblems[problem] })),
    last: last && {
      to: `/dashboard/reports/sent/${last.runUid}/`,
      on: formatMoment(last.dueAt, ctx.site.timeZone),
      sentTo: last.sent === 1 ? 'one colleague' : `${last.sent} colleagues`,
      isEmpty: last.isEmpty,
      openedBy: last.openedBy.length > 0 ? last.openedBy.join(', ') : null,
    },
    state: stateOf(report),
    problem,
    isInstitutionGone: described.isInstitutionGone,
    verb: isGone ? null : state === 'active' ? 'Pause' : 'Resume',
  }
}

function stateOf(report: DescribedReport): ScheduledReportRow['state'] {
  const { state, described } = report
  if (described.problem !== null || state === 'stopped') return 'Stopped'
  if (state !== 'active') return 'Paused'
  return problemOf(report) === null ? 'Active' : 'Stops'
}

/** Above the form, because saving does not start a report again. */
function noticeOf(report: DescribedReport): string | null {
  const notice = {
    Active: null,
    Paused: 'This report is paused.',
    Stopped: 'This report has stopped.',
    Stops: 'This report will stop.',
  }[stateOf(report)]
  return notice && [notice, problemOf(report)].filter((sentence) => sentence !== null).join(' ')
}

function problemOf({ state, problem, ownerProblem, described }: DescribedReport): string | null {
  // Nothing else helps as long as the report cannot be made.
  if (described.problem !== null) return described.problem
  if (state === 'unopened') return 'Nobody opened the last three reports.'
  if (ownerProblem !== null) return ownerProblems[ownerProblem]
  return state === 'stopped' && problem !== null ? `When it was last due: ${problem} Press Resume to try again.` : null
}

/** An empty form for the question of a report. */
export async function getNewSchedule(ctx: Ctx, args: Parameters<typeof askedAt>[0]): Promise<ScheduleReportView> {
  const { choice, words, closeTo } = await keptChoiceAt(ctx, args)
  return {
    ...(await partsOf(ctx, [])),
    uid: randomUUID(),
    revision: null,
    words,
    period: choice.period,
    to: null,
    notice: null,
    defaults: { name: '', ...valuesOfTimes({ every: 'monthly', day: 1, time: '08:00' }), recipients: [] },
    closeTo,
  }
}

/** The form of a scheduled report. */
export async function getScheduleForm(ctx: Ctx, input: { reportUid: string }): Promise<ScheduleReportView> {
  const report = await getScheduledReport(ctx, input)
  const { uid, name, path, often, revision, recipients, described } = report
  const { choice, words } = described
  const chosen = recipients.map((one) => one.uid)
  const parts = await partsOf(ctx, chosen)
  const known = new Set(parts.colleagues.map(({ value }) => value))
  return {
    ...parts,
    ...{ uid, revision },
    words: choice ? questionInWords(path, choice, words) : path,
    period: choice?.period ?? null,
    to: choice && addressOf(path, choice),
    defaults: { name, ...valuesOfTimes(often), recipients: chosen.filter((uid) => known.has(uid)) },
    notice: noticeOf(report),
    closeTo: list,
  }
}

/** The form of another institution for a report whose own was deleted. There is nothing to choose for any other report. */
export async function getReportInstitution(ctx: Ctx, input: { reportUid: string }): Promise<ReportInstitutionView> {
  const { uid, path, described } = await getScheduledReport(ctx, input)
  const { choice, words, isInstitutionGone } = described
  const problem = isInstitutionGone ? null : needsNoInstitution
  const institutions = problem === null ? await listAllUniversities(ctx) : []
  return {
    uid,
    words: choice ? questionInWords(path, choice, words) : path,
    problem,
    institutions: institutions.map(({ uid, name }) => ({ value: uid, label: name })),
    closeTo: list,
  }
}

async function partsOf(ctx: Ctx, chosen: string[]) {
  const colleagues = await listColleagues(ctx, { chosen })
  return {
    timeZone: ctx.site.timeZone.replaceAll('_', ' '),
    colleagues: colleagues.map(({ uid, name, email }) => ({ value: uid, label: `${name} (${email})` })),
  }
}

function valuesIn(form: FormData) {
  return {
    name: text(form, 'name'),
    // Checked by the schema of the service.
    often: text(form, 'often') as ScheduleState['often']['every'],
    weekday: (text(form, 'weekday') || undefined) as '1' | undefined,
    monthDay: (text(form, 'monthDay') || undefined) as '1' | undefined,
    time: text(form, 'time'),
    recipients: form.getAll('recipients'),
  }
}

/** Answers the form of a new scheduled report, and returns to the report. */
export async function answerNewSchedule(args: ActionFunctionArgs, ctx: SignedIn, form: FormData) {
  const asked = askedAt(args)
  const { nextAt } = await createScheduledReport(ctx, {
    ...valuesIn(form),
    ...asked,
    uid: text(form, 'uid') || undefined,
  })
  const { closeTo } = await getSaveView(ctx, args)
  return redirectWithNotice(args, closeTo, {
    kind: 'success',
    text: `The report is scheduled. It goes out on ${formatMoment(nextAt, ctx.site.timeZone)} for the first time.`,
  })
}

/** Answers the form of a scheduled report that is edited. */
export async function answerSchedule(args: ActionFunctionArgs, ctx: SignedIn, form: FormData) {
  const reportUid = args.params.uid ?? ''
  return answerSave(args, ctx, form, {
    noun: 'scheduled report',
    place: list,
    notice: () => 'The scheduled report has been saved.',
    save: () => updateScheduledReport(ctx, { ...valuesIn(form), reportUid, revision: revisionIn(form) }),
    merged: ({ now }) => {
      const state = now.state as ScheduleState
      return {
        formId: `schedule-${reportUid}-${now.revision}`,
        valuesOf: (field) =>
          field === 'name'
            ? { name: state.name }
            : field === 'often'
              ? valuesOfTimes(state.often)
              : { recipients: state.recipients },
      }
    },
  })
}
