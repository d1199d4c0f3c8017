/** The charts of reports, with their words. */
import type { ReportChartView } from '~/components/console/reports/view.ts'
import type { ReportPath } from '~/forms/report-list.ts'
import { formatCalendarDay, formatMonth } from '~/lib/dates.ts'
import type { ReportInterval, ReportPeriod } from '~/lib/report-periods.ts'
import { cutText } from '~/lib/text.ts'
import { playedShares, type ReportChart } from '~/services/reports/charts.server.ts'

type Words = { title: string; description: string; labelHead?: string; series: string[] }

const logins: Words = { title: 'Logins', description: 'How often people logged in.', series: ['Logins'] }
const sessions: Words = { title: 'Sessions', description: 'How many sessions people began.', series: ['Sessions'] }
const times: Words = {
  title: 'Time to complete',
  description: 'How many completions took how long.',
  labelHead: 'Time',
  series: ['Completions'],
}

const words: Partial<Record<ReportPath, Words>> = {
  logins,
  'logins/total': logins,
  'logins/avg': logins,
  'logins/avg_time_between_logins': logins,
  sessions,
  'sessions/total': sessions,
  'sessions/averages': sessions,
  'modules/started_completed': {
    title: 'Starts and completions',
    description: 'How many modules people started and completed.',
    series: ['Modules started', 'Modules completed'],
  },
  'modules/time_to_complete': times,
  'modules/time_to_complete/avg': times,
  'modules/quiz-answers': {
    title: 'Answers to each question',
    description: 'The ten questions with the most answers.',
    labelHead: 'Question',
    series: ['Answers', 'Correct'],
  },
  'modules/survey': {
    title: 'The most frequent answers',
    description: 'The ten answers that were given most often.',
    labelHead: 'Answer',
    series: ['Answers'],
  },
  search_terms: {
    title: 'The most frequent search terms',
    description: 'The ten terms that people searched for most often.',
    labelHead: 'Search term',
    series: ['Searches', 'Searches without results'],
  },
  'search_terms/searches': { title: 'Searches', description: 'How often people searched.', series: ['Searches'] },
  'videos/plays': { title: 'Plays', description: 'How often people played films.', series: ['Plays'] },
  videos: {
    title: 'The most played films',
    description: 'The ten films with the most plays.',
    labelHead: 'Film',
    series: ['Plays', 'Plays to the end'],
  },
}

const dropOff: Words = {
  title: 'How far plays went',
  description: 'How many plays of the film reached each part of it.',
  labelHead: 'Part of the film',
  series: ['Plays'],
}

const answersToOne: Partial<Record<ReportPath, Words>> = {
  'modules/quiz-answers': {
    title: 'Answers to this question',
    description: 'The ten most frequent answers, and how often each was right.',
    labelHead: 'Answer',
    series: ['Answers', 'Correct'],
  },
  'modules/survey': {
    title: 'Answers to this question',
    description: 'The ten answers that were given most often.',
    labelHead: 'Answer',
    series: ['Answers'],
  },
}

const intervalHeads: Record<ReportInterval, string> = { daily: 'Day', weekly: 'Week from', monthly: 'Month' }
const spreadLabels = ['< 15 min', '15–30 min', '30–60 min', '1–2 h', '2–24 h', '1–7 days', '7–30 days', '> 30 days']
const longestName = 120

export function chartOf(
  path: ReportPath,
  chart: ReportChart | null,
  { firstDay, lastDay }: Pick<ReportPeriod, 'firstDay' | 'lastDay'>,
  pageOf: (link: string) => string | null,
): ReportChartView | null {
  const said = chart?.kind === 'shares' ? dropOff : chart?.kind === 'answers' ? answersToOne[path] : words[path]
  if (!said || !chart) return null
  const { title, description, labelHead = '' } = said
  const seriesOf = (values: number[][]) =>
    values.map((list, index) => ({ name: said.series[index] ?? '', values: list }))
  switch (chart.kind) {
    case 'time':
      return {
        title: firstDay === null ? `${title} in the last twelve months` : title,
        description: chart.interval === 'weekly' ? `${description} ${weeksInWords(firstDay, lastDay)}` : description,
        labels: chart.firstDays.map((day) => labelOf(day, chart.interval)),
        labelHead: intervalHeads[chart.interval],
        series: seriesOf(chart.series),
      }
    case 'spread':
      return { title, description, labels: spreadLabels, labelHead, series: seriesOf([chart.counts]) }
    case 'shares':
      return {
        ...{ title, description, labelHead },
        labels: playedShares.map((share) => `${share}%`),
        series: seriesOf([chart.counts]),
      }
    case 'ranked':
    case 'answers':
      return {
        ...{ title, description, labelHead },
        labels: chart.names.map((_, index) => String(index + 1)),
        names: chart.names.map((name) => (name.length > longestName ? `${cutText(name, longestName)}…` : name)),
        ...(chart.kind === 'ranked' && chart.links && { to: chart.links.map((link) => link && pageOf(link)) }),
        series: seriesOf(chart.series),
      }
  }
}

/** "Nov 2", or "Nov 2026" for a month. */
function labelOf(day: string, interval: ReportInterval): string {
  return interval === 'monthly' ? formatMonth(day.slice(0, 7)) : formatCalendarDay(day).replace(/, \d+$/, '')
}

/** "Each bar is a week, Monday to Sunday; the first begins on Nov 1 and the last ends on Nov 23." */
function weeksInWords(firstDay: string | null, lastDay: string): string {
  const weekday = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay()
  const cut = [
    ...(firstDay !== null && weekday(firstDay) !== 1 ? [`the first begins on ${labelOf(firstDay, 'weekly')}`] : []),
    ...(weekday(lastDay) !== 0 ? [`the last ends on ${labelOf(lastDay, 'weekly')}`] : []),
  ]
  return `Each bar is a week, Monday to Sunday${cut.length > 0 ? `; ${cut.join(' and ')}` : ''}.`
}
