/** The page with the reports: the tabs, the reports of one of them, and what the chosen report needs. */
import type { ReportsView } from '~/components/console/reports/view.ts'
import { type ReportDefinition, type ReportTab, reportPagePath, reports, reportTabs } from '~/forms/report-list.ts'
import { type ReportQuestion, readReportQuestion, reportQuestionOf } from '~/forms/reports.ts'
import { formatCalendarDay } from '~/lib/dates.ts'
import { type ReportPeriod, reportPeriod, reportPeriodLabels, reportPeriods } from '~/lib/report-periods.ts'
import type { Ctx } from '~/services/context.ts'
import type { FieldErrors } from '~/services/errors.ts'
import { listUserReportFields } from '~/services/users/report-fields.server.ts'
import { filterSelects } from './report-selects.server.ts'

type FormInput = {
  tab: ReportTab
  /** The path of a report. If the tab has no such report, its first one is chosen. Lists behind figures are not listed. */
  chosen: string | null
  /** Without what is `refused`, this is chosen in the form. */
  question: ReportQuestion & { view: string | null }
  refused?: FieldErrors
}

/** The form of a report whose address has a question, or part of one. */
export function getReportForm(
  ctx: Ctx,
  { tab, params }: { tab: ReportTab; params: URLSearchParams },
): Promise<ReportsView> {
  const question = { ...reportQuestionOf(params), uid: null, on: null, view: params.get('view') }
  return getReportsPage(ctx, { tab, chosen: params.get('report'), question })
}

/** The form of a report with what is chosen in it, and the other reports of its tab. */
export async function getReportsPage(ctx: Ctx, { tab, chosen, question, refused }: FormInput): Promise<ReportsView> {
  const all: ReportDefinition[] = reports.filter((report) => report.tab === tab)
  const ofTab = all.filter(({ countedIn }) => countedIn === undefined)
  const report = all.find(({ path }) => path === chosen) ?? (ofTab[0] as ReportDefinition)
  const { path, title, note, needs } = report
  const page = reportTabs.find(({ id }) => id === tab)?.path
  const hasFields = needs.includes('fields')
  const { now } = ctx
  const { timeZone } = ctx.site
  const read = readReportQuestion(report, question)
  const errors = refused ?? (read.ok ? {} : read.errors)
  const { period, interval, aggregateBy, fields, filters = {} } = question
  const known = Object.entries(filters).filter(([name, value]) => value && !(name in errors))
  return {
    tab,
    reports: ofTab.map((one) => ({
      path: one.path,
      title: one.title,
      href: `${page}?${new URLSearchParams({ report: one.path })}`,
    })),
    report: { path, title, note, needs, action: `/api/reports/${path}/`, page: reportPagePath(report) },
    periods: reportPeriods.map((name) => ({
      value: name,
      label: reportPeriodLabels[name],
      days: daysInWords(reportPeriod(name, { now, timeZone })),
    })),
    timeZone,
    fields: hasFields ? (await listUserReportFields(ctx)).map(({ id, title }) => ({ value: id, label: title })) : [],
    values: {
      period: period ?? '',
      interval: interval ?? '',
      aggregate_by: aggregateBy ?? null,
      fields: (fields ?? '').split(','),
    },
    selects: await filterSelects(ctx, report, { filters: Object.fromEntries(known) }),
    // What no field of the form shows. A saved view can be changed, also one that asks for what is gone.
    hidden: (['uid', 'view', 'compare', 'on'] as const).flatMap((name) => {
      const value = question[name]
      return value && !(name in errors) ? [{ name, value }] : []
    }),
  }
}

/** "Nov 22, 2026 to Nov 28, 2026" */
export function daysInWords({ firstDay, lastDay }: ReportPeriod): string {
  const last = formatCalendarDay(lastDay)
  return firstDay === null ? `Until ${last}` : `${formatCalendarDay(firstDay)} to ${last}`
}
