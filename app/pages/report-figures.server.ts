/** The figures above the lines of a report: totals and averages, with what they were in the period before. */
import type { ReportFigure, ReportView } from '~/components/console/reports/view.ts'
import type { ReportDefinition } from '~/forms/report-list.ts'
import { reportAggregates } from '~/forms/reports.ts'
import { durationInWords } from '~/lib/duration.ts'
import type { ReportPage, ReportTotal } from '~/services/reports/reports.server.ts'
import { rowsBehind } from './report-links.server.ts'

/** The figures about messages that stand together. The others are the first that people ask for. */
const figuresOfMessages = [
  {
    title: 'What became of the emails',
    labels: [
      'Emails accepted',
      'Emails refused',
      'Emails that came back',
      'Emails in doubt',
      'Complaints',
      'Unsubscribed',
    ],
  },
  {
    title: 'What machines did, and what is not counted',
    labels: ['Opened by machines', 'Link followed by machines', 'Mails without tracking'],
  },
]

export function groupsOf(
  report: ReportDefinition,
  figures: ReportFigure[],
): Pick<ReportView, 'figures' | 'moreFigures'> {
  if (report.tab !== 'messages') return { figures, moreFigures: [] }
  const named = new Set(figuresOfMessages.flatMap(({ labels }) => labels))
  return {
    figures: figures.filter(({ label }) => !named.has(label)),
    moreFigures: figuresOfMessages.map(({ title, labels }) => ({
      title,
      figures: labels.flatMap((label) => figures.find((figure) => figure.label === label) ?? []),
    })),
  }
}

export function figuresOf(page: ReportPage): ReportFigure[] {
  const { report, choice, count, totals, before } = page
  const isSummedUp = report.needs.includes('aggregate') && report.lines === 'People'
  const aggregate = reportAggregates.find(({ id }) => id === choice.aggregate)
  const lines = (value: number): ReportTotal => ({
    label: isSummedUp && aggregate ? aggregate.lines : report.lines,
    value,
    isDuration: false,
  })
  // On the page of one film, the number of films says nothing.
  const isOneLine = page.film !== null && report.countedIn === undefined
  const inOrder = (count: number, totals: ReportTotal[]) => [
    ...totals.filter(({ note }) => note),
    ...(isOneLine ? [] : [lines(count)]),
    ...totals.filter(({ note }) => !note),
  ]
  const earlier = before && inOrder(before.count, before.totals)
  return inOrder(count, totals).map((total, index) => ({
    label: total.label,
    value: totalInWords(total),
    note: total.note ?? null,
    to: rowsBehind(page, total.label),
    change: earlier && changeInWords(total, earlier[index]),
  }))
}

function totalInWords({ value, isDuration }: ReportTotal): string {
  if (value === null) return '–'
  return isDuration ? durationInWords(value) : inWords(value)
}

/** "34 before: +12 (+35%)" */
function changeInWords(total: ReportTotal, before: ReportTotal | undefined): string | null {
  if (!before || before.value === null) return 'Nothing before'
  const was = `${totalInWords(before)} before`
  if (total.value === null) return was
  const difference = total.value - before.value
  if (difference === 0) return `${was}: no change`
  const sign = difference > 0 ? '+' : '−'
  const amount = totalInWords({ ...total, value: Math.abs(difference) })
  const share = before.value === 0 ? '' : ` (${sign}${inWords(Math.round(Math.abs(difference / before.value) * 100))}%)`
  return `${was}: ${sign}${amount}${share}`
}

export function inWords(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 })
}
