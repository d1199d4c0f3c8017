import type { ReportNeed, ReportTab } from '~/forms/report-list.ts'
import type { ReportPeriodName } from '~/lib/report-periods.ts'
import type { ChartProps } from '../chart/chart.tsx'
import type { ColumnSort } from '../modules/record-table.tsx'

export type ReportsView = {
  tab: ReportTab
  /** The reports of the tab, of which one is chosen. */
  reports: { path: string; title: string; href: string }[]
  report: { path: string; title: string; note: string; needs: readonly ReportNeed[]; action: string; page: string }
  /** With the days from the first to the last. */
  periods: { value: string; label: string; days: string }[]
  timeZone: string
  /** The columns to choose from; empty if the report has fixed ones. */
  fields: { value: string; label: string }[]
  /** What is chosen. */
  values: { period: string; interval: string; aggregate_by: string | null; fields: string[] }
  /** The filters, and what else was asked for. */
  selects: ReportView['selects']
  hidden: ReportView['hidden']
}

/** The form of a report again, with what was refused. */
export type RefusedReport = ReportsView & {
  /** What no field of the form shows. */
  message: string | null
  errors: Partial<Record<ReportNeed, string>>
}

/** The id of the table on the page of a report. */
export const linesId = 'rows'

/** A report as a page. */
export type ReportView = {
  tab: ReportTab | null
  back: { to: string; label: string }
  title: string
  meaning: string
  /** The days of the period, and the zone that they are days of. */
  days: string
  timeZone: string
  /** The address of the page without its question, and of the file with it. */
  path: string
  file: string
  /** Where a job is asked to make the file of a long report; null if it is downloaded at once. */
  prepareTo: string | null
  /** Whether the rows are in the order of a column. Those of the file never are. */
  isSorted: boolean
  selects: { name: string; label: string; all?: string; options: Record<string, string>; chosen: string }[]
  /** Whether the box is ticked; null without one. */
  isCompared: boolean | null
  /** Where the question is saved as a view, and where it is scheduled; null for what has no period. */
  saveTo: string | null
  scheduleTo: string | null
  /** Says on which day this was asked, if that is not today, and leads to the same question of today. */
  asOf: { words: string; today: string } | null
  view: OpenedView | null
  /** The address names a saved view that the viewer cannot open. */
  isViewGone: boolean
  /** What the form keeps. */
  hidden: { name: string; value: string }[]
  /** With what the figures are compared; null if they are not. */
  compared: string | null
  figures: ReportFigure[]
  /** Figures that explain others, below a title of their own. */
  moreFigures: { title: string; figures: ReportFigure[] }[]
  chart: ReportChartView | null
  heads: string[]
  numbers: boolean[]
  sorts: ColumnSort[]
  sortBy: ReportSortBy
  lines: ReportCell[][]
  page: number
  size: number
  /** The lines that can be paged through. `cut` says so if there are more. */
  total: number
  cut: string | null
  /** The address of its pages, without their number. */
  pages: string
}

/** The orders to choose from on phones, whose tables have no heads. */
export type ReportSortBy = {
  /** What the form keeps. */
  hidden: { name: string; value: string }[]
  orders: { value: string; label: string; to: string }[]
  chosen: string
  /** Null while the rows are in their usual order. */
  direction: { isDescending: boolean; ascending: string; descending: string } | null
}

/** The saved view that a report was opened from. `saved` is the view as it was saved, if the report is not. */
export type OpenedView = {
  name: string
  sharing: string | null
  /** The address of what was saved; null if that is shown, or can no longer be asked for. */
  saved: string | null
  isBroken: boolean
  /** Where the changes are saved; null if there are none, or it is somebody else's. */
  saveTo: string | null
}

export type ReportChartView = Omit<ChartProps, 'kind'>
/** `to` are the rows behind it; `note` says what it means, and `change` what it was in the period before. */
export type ReportFigure = { label: string; value: string; note: string | null; to: string; change: string | null }
/** `to` is the page with what is behind the cell. */
export type ReportCell = { text: string; to: string | null }

/** A saved view in the list. */
export type SavedViewRow = {
  uid: string
  name: string
  /** Null if it can no longer be opened. */
  to: string | null
  /** "Login totals, Last 7 days, by institution" */
  words: string
  /** "Shared with all admins", or who made it; null for what only the viewer sees. */
  sharing: string | null
  isOwn: boolean
  problem: string | null
}

export type SavedViewsView = {
  rows: SavedViewRow[]
  page: number
  size: number
  total: number
  removed: { uid: string; name: string; how: string }[]
}

/** The dialog that saves the question of a report. */
export type SaveViewView = { uid: string; words: string; defaults: { name: string }; closeTo: string }

/** A scheduled report in the list. */
export type ScheduledReportRow = {
  uid: string
  name: string
  /** Null if it can no longer be opened. */
  to: string | null
  /** "Login totals, Last Month, by institution" */
  words: string
  often: string
  /** Null while it does not go out. */
  next: string | null
  owner: string
  recipients: { name: string; problem: string | null }[]
  /** `openedBy` is null if nobody has opened it. */
  last: { to: string; on: string; sentTo: string; isEmpty: boolean; openedBy: string | null } | null
  state: 'Active' | 'Paused' | 'Stops' | 'Stopped'
  /** Why it does not go out, or will not. */
  problem: string | null
  isInstitutionGone: boolean
  /** Null for one that can neither go out nor be resumed, because what it is about is gone. */
  verb: 'Pause' | 'Resume' | null
}

export type ScheduledReportsView = {
  rows: ScheduledReportRow[]
  timeZone: string
  page: number
  size: number
  total: number
  removed: SavedViewsView['removed']
}

/** The form of a scheduled report; `revision` is null for a new one. */
export type ScheduleReportView = {
  uid: string
  revision: number | null
  words: string
  /** That of the report; null for everything, and for what can no longer be opened. */
  period: ReportPeriodName | null
  /** The report itself; null for a new one and for what can no longer be opened. */
  to: string | null
  /** That it does not go out, or will not, and why. */
  notice: string | null
  timeZone: string
  colleagues: { value: string; label: string }[]
  defaults: Record<string, string | string[]>
  closeTo: string
}

/** The form of another institution for a scheduled report. */
export type ReportInstitutionView = {
  uid: string
  words: string
  /** Why there is nothing to choose; null if there is. */
  problem: string | null
  institutions: { value: string; label: string }[]
  closeTo: string
}

/** A prepared file in the list. */
export type ReportFileRow = {
  uid: string
  /** "Quiz answers, All Time, University of Basel" */
  words: string
  /** The report itself; null for what can no longer be opened. */
  to: string | null
  fileName: string
  asked: string
  /** "805 rows", or "805 rows so far"; null before. */
  rows: string | null
  size: string | null
  state: string
  until: string | null
  problem: string | null
  /** Where it can be asked for again; null if there is no need to. */
  again: string | null
  /** The address of the file; null if there is none. */
  file: string | null
  isUnfinished: boolean
}

export type ReportFilesView = { rows: ReportFileRow[]; timeZone: string; page: number; size: number; total: number }

/** The question before a file is made. `rows` is "200 rows". */
/** `rows` is null if counting them takes too long. */
export type PrepareFileView = { uid: string; words: string; rows: string | null; closeTo: string }
