/** Prepared files of reports in the console: their list, and the question before one is made. */
import type { PrepareFileView, ReportFileRow, ReportFilesView } from '~/components/console/reports/view.ts'
import { missingFile, reportFileLimits } from '~/forms/report-files.ts'
import { findReport } from '~/forms/report-list.ts'
import { questionInWords, readReportQuestion } from '~/forms/reports.ts'
import { formatMoment } from '~/lib/dates.ts'
import { formatFileSize } from '~/lib/file-size.ts'
import type { Ctx } from '~/services/context.ts'
import { Unavailable } from '~/services/errors.ts'
import { takesTooLong } from '~/services/reports/report-cells.server.ts'
import { listReportFiles, type ReportFile, type ReportFileState } from '~/services/reports/report-files.server.ts'
import { listReportFigures } from '~/services/reports/reports.server.ts'
import { addressOf, choiceAt, prepareAddressOf } from './saved-views.server.ts'

export async function getReportFiles(ctx: Ctx, { page }: { page: number }): Promise<ReportFilesView> {
  const size = reportFileLimits.page
  const { items, total } = await listReportFiles(ctx, { page, size })
  return {
    rows: items.map((file) => rowOf(ctx, file)),
    timeZone: ctx.site.timeZone.replaceAll('_', ' '),
    ...{ page, size, total },
  }
}

const stateLabels: Record<ReportFileState, string> = {
  waiting: 'Waiting',
  making: 'In preparation',
  ready: 'Ready',
  missing: 'Missing',
  failed: 'Failed',
  canceled: 'Canceled',
  expired: 'Expired',
}

function rowOf(ctx: Ctx, file: ReportFile): ReportFileRow {
  const { uid, path, question, about, fileName, state, problem, rows, bytes, askedAt, expiresAt } = file
  const report = findReport(path)
  const read = report && readReportQuestion(report, question)
  const choice = read?.ok ? read.choice : null
  const isReady = state === 'ready'
  const isUnfinished = state === 'waiting' || state === 'making'
  return {
    uid,
    words: choice ? questionInWords(path, choice, about) : path,
    to: choice && addressOf(path, choice),
    fileName,
    asked: formatMoment(askedAt, ctx.site.timeZone),
    rows: state === 'making' ? `${rowsInWords(rows)} so far` : bytes === null ? null : rowsInWords(rows),
    size: bytes === null ? null : formatFileSize(bytes),
    state: stateLabels[state],
    until: isReady && expiresAt ? formatMoment(expiresAt, ctx.site.timeZone) : null,
    problem: state === 'missing' ? missingFile : problem,
    again: isReady || isUnfinished || !choice ? null : prepareAddressOf(path, choice),
    file: isReady ? `/api/reports/files/${uid}/` : null,
    isUnfinished,
  }
}

/** "1 row", "1,204,331 rows" */
function rowsInWords(rows: number): string {
  return `${rows.toLocaleString('en')} ${rows === 1 ? 'row' : 'rows'}`
}

/** The question before a job makes the file of a report: the report, and how long it is. */
export async function getPrepareFile(
  ctx: Ctx,
  args: Parameters<typeof choiceAt>[1],
): Promise<Omit<PrepareFileView, 'uid'>> {
  const { report, choice, words, asked, closeTo } = await choiceAt(ctx, args)
  // Counted as the page counts. The planner cannot tell how many lines rows are summed up in.
  const figures = await listReportFigures(ctx, [asked]).catch((error: unknown) => {
    // The job has more time than a page.
    if (error instanceof Unavailable && error.code === takesTooLong) return null
    throw error
  })
  return {
    words: questionInWords(report.path, choice, words),
    rows: figures && rowsInWords(figures[0]?.count ?? 0),
    closeTo,
  }
}
