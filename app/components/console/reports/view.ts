import type { ReportNeed, ReportTab } from '~/forms/reports.ts'

export type ReportsView = {
  tab: ReportTab
  /** The reports of the tab, of which one is chosen. */
  reports: { path: string; title: string; href: string }[]
  report: { path: string; title: string; note: string; needs: readonly ReportNeed[]; action: string }
  /** With the days from the first to the last. */
  periods: { value: string; label: string; days: string }[]
  timeZone: string
  /** The columns to choose from; empty if the report has fixed ones. */
  fields: { value: string; label: string }[]
}
