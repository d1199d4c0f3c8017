/** The page with the reports: the tabs, the reports of one of them, and what the chosen report needs. */
import type { ReportsView } from '~/components/console/reports/view.ts'
import { type ReportDefinition, type ReportTab, reportPagePath, reports, reportTabs } from '~/forms/report-list.ts'
import { formatCalendarDay } from '~/lib/dates.ts'
import { type ReportPeriod, reportPeriod, reportPeriodLabels, reportPeriods } from '~/lib/report-periods.ts'
import type { Ctx } from '~/services/context.ts'
import { listUserReportFields } from '~/services/users/report-fields.server.ts'

/** `chosen` is the path of a report. If the tab has no such report, its first one is chosen. Lists behind figures are not listed. */
export async function getReportsPage(
  ctx: Ctx,
  { tab, chosen }: { tab: ReportTab; chosen: string | null },
): Promise<ReportsView> {
  const all: ReportDefinition[] = reports.filter((report) => report.tab === tab)
  const ofTab = all.filter(({ countedIn }) => countedIn === undefined)
  const report = all.find(({ path }) => path === chosen) ?? (ofTab[0] as ReportDefinition)
  const { path, title, note, needs } = report
  const page = reportTabs.find(({ id }) => id === tab)?.path
  const hasFields = needs.includes('fields')
  const { now } = ctx
  const { timeZone } = ctx.site
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
  }
}

/** "Nov 22, 2026 to Nov 28, 2026" */
export function daysInWords({ firstDay, lastDay }: ReportPeriod): string {
  const last = formatCalendarDay(lastDay)
  return firstDay === null ? `Until ${last}` : `${formatCalendarDay(firstDay)} to ${last}`
}
