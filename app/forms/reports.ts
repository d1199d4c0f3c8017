/** What can be asked of a report: what its address may say, and how that is checked, stored and put in words. */
import {
  type ReportInterval,
  type ReportPeriodName,
  reportIntervals,
  reportPeriodLabels,
  reportPeriods,
} from '~/lib/report-periods.ts'
import { isStorable } from '~/lib/text.ts'
import { isDay } from '~/lib/zoned-time.ts'
import { findReport, isWithoutPeriod, type ReportDefinition, type ReportNeed, type ReportPath } from './report-list.ts'

/** Who a report about people can be narrowed to, in the order of its address. */
export const peopleFilters = ['institution', 'group', 'plan', 'audience'] as const
/** The rows that some can be narrowed to, so that a figure leads to what was counted. A question is one of its module. */
export const rowFilters = [
  'person',
  'position',
  'site_group',
  'module',
  'question',
  'correct',
  'term',
  'results',
  'home_film',
  'ended',
] as const
export type RowFilter = (typeof rowFilters)[number]

const reportFilters = [...peopleFilters, ...rowFilters] as const
export type ReportFilter = (typeof reportFilters)[number]

/** What the filters are called on the page of a report. */
export const reportFilterLabels: Record<ReportFilter, string> = {
  institution: 'Institution',
  group: 'Group',
  plan: 'Access plan',
  audience: 'Audience',
  person: 'Person',
  position: 'Position',
  site_group: 'Site group',
  module: 'Module',
  question: 'Question',
  correct: 'Answer',
  term: 'Search term',
  results: 'Results',
  home_film: 'Film of the home page',
  ended: 'Plays',
}

/** What a choice is by, where the report needs it: "weekly", "by institution". */
function byWords({ needs }: ReportDefinition, { interval, aggregate }: ReportChoice): string[] {
  const by = reportAggregates.find(({ id }) => id === aggregate)
  return [
    ...(needs.includes('interval') && interval ? [reportIntervalLabels[interval].toLowerCase()] : []),
    ...(needs.includes('aggregate') && by ? [`by ${by.label.toLowerCase()}`] : []),
  ]
}

/** "Login totals, by institution" */
export function reportTitle(report: ReportDefinition, choice: ReportChoice): string {
  return [report.title, ...byWords(report, choice)].join(', ')
}

/** "Login totals, Last 7 days, by institution, University of Basel" */
export function questionInWords(path: string, choice: ReportChoice, words: string[]): string {
  const report = findReport(path)
  if (!report) return path
  const period = reportPeriodLabels[choice.period ?? 'all_time']
  return [report.title, period, ...byWords(report, choice), ...words].join(', ')
}

/** What a report can be narrowed by. People who have not registered are in no audience. */
export function filtersOf(path: string): readonly ReportFilter[] {
  if (path === 'announcements') return []
  if (path === 'pending-users') return peopleFilters.filter((filter) => filter !== 'audience')
  // Few people, or one, would tell who searched (docs/decisions/046).
  if (path === 'search_terms/searches') return rowFiltersOf[path] ?? []
  return [...peopleFilters, ...(rowFiltersOf[path] ?? [])]
}

/** What lines are summed up by, besides the institution: each is a filter for the people of a line. */
export const groupingFilters = ['position', 'site_group'] as const satisfies readonly RowFilter[]
export type GroupingFilter = (typeof groupingFilters)[number]

const rowFiltersOf: Record<string, readonly RowFilter[]> = {
  search_terms: ['results'],
  'search_terms/searches': ['term', 'results'],
  logins: ['person', ...groupingFilters],
  'logins/total': groupingFilters,
  'logins/avg': groupingFilters,
  'logins/avg_time_between_logins': groupingFilters,
  sessions: ['person', ...groupingFilters],
  'sessions/total': groupingFilters,
  'sessions/averages': groupingFilters,
  'videos/plays': ['person', 'home_film', 'ended'],
  'modules/started_completed': groupingFilters,
  'modules/time_to_complete': ['person', ...groupingFilters, 'module'],
  'modules/time_to_complete/avg': ['person', ...groupingFilters, 'module'],
  'modules/quiz-answers': ['person', 'module', 'question', 'correct'],
  'modules/survey': ['person', 'module', 'question'],
} satisfies Partial<Record<ReportPath, readonly RowFilter[]>>

/** The values that a filter can have, where these are few. */
const filterValues: Partial<Record<ReportFilter, readonly string[]>> = {
  site_group: ['site', 'university', 'external'],
  correct: ['yes', 'no'],
  results: ['none'],
  ended: ['yes'],
}

/** The IRI of a question is the longest. */
const longestFilter = 2000

function refusalOfFilter(path: string, filter: ReportFilter, value: string, filters: ReportQuestion['filters']) {
  if (!filtersOf(path).includes(filter)) {
    const isOfPeople = peopleFilters.some((one) => one === filter)
    return isOfPeople ? `This report is not about people of one ${filter}.` : `This report has no filter “${filter}”.`
  }
  const values = filterValues[filter]
  if (values && !values.includes(value)) return `The filter “${filter}” can only be “${values.join('” or “')}”.`
  if (!isStorable(value)) return `The filter “${filter}” holds characters that cannot be stored.`
  if (value.length > longestFilter) return `The filter “${filter}” is longer than ${longestFilter} characters.`
  if (filter === 'question' && !filters?.module) return 'A question is one of a module. Choose the module too.'
  return undefined
}

/** The fields of the form that asks for a report. */
export const reportFieldLabels = {
  period: 'Period',
  interval: 'Interval',
  aggregate: 'Aggregate by',
  fields: 'Fields to include',
}

export const reportIntervalLabels: Record<ReportInterval, string> = {
  daily: 'Daily',
  weekly: 'Weekly',
  monthly: 'Monthly',
}

/** The value for User is blank (C-248). */
export const reportAggregates = [
  { value: 'Institution', label: 'Institution', id: 'institution', lines: 'Institutions' },
  { value: 'Position', label: 'Position', id: 'position', lines: 'Positions' },
  { value: 'Group', label: 'Group', id: 'group', lines: 'Groups' },
  { value: '', label: 'User', id: 'user', lines: 'People' },
] as const
export type ReportAggregate = (typeof reportAggregates)[number]['id']

export const reportMessages = {
  period: 'Choose a period',
  interval: 'Choose an interval',
  aggregate: 'Choose what to aggregate by',
  fields: 'Choose at least one field',
} as const

export type ReportQuestion = {
  period?: string | null
  interval?: string | null
  aggregateBy?: string | null
  fields?: string | null
  /** Asks for one message or film, where the report is about these. */
  uid?: string | null
  /**
   * Uids, names of groups and positions, the IRI of a question, a search term, the title of a film of the home page. Blank
   * means everybody and everything.
   */
  filters?: Partial<Record<ReportFilter, string | null>>
  /** `previous`: the totals of the period before, too. */
  compare?: string | null
  /** The day as of which the report is asked for, if it is not today: that of a report that was sent by email. */
  on?: string | null
  /** The names of parameters that an address has more than once. */
  doubled?: string[]
}

const singleParams = ['period', 'interval', 'aggregate_by', 'uid', 'compare', 'on', ...reportFilters] as const

/** The question in an address. */
export function reportQuestionOf(params: URLSearchParams): ReportQuestion {
  return {
    doubled: singleParams.filter((name) => params.getAll(name).length > 1),
    period: params.get('period'),
    interval: params.get('interval'),
    aggregateBy: params.get('aggregate_by'),
    // Boxes of a form are sent one by one, and programs send a list.
    fields: params.getAll('fields').join(','),
    uid: params.get('uid'),
    compare: params.get('compare'),
    on: params.get('on'),
    filters: Object.fromEntries(reportFilters.map((filter) => [filter, params.get(filter)])),
  }
}

/** The address of a choice, in one spelling. What the report does not use is left out. */
export function reportParams({ needs }: Pick<ReportDefinition, 'needs'>, choice: ReportChoice): URLSearchParams {
  const params = new URLSearchParams()
  if (choice.uid !== null) params.set('uid', choice.uid)
  if (choice.period !== null) params.set('period', choice.period)
  if (needs.includes('interval') && choice.interval !== null) params.set('interval', choice.interval)
  if (needs.includes('aggregate')) {
    params.set('aggregate_by', reportAggregates.find(({ id }) => id === choice.aggregate)?.value ?? '')
  }
  if (needs.includes('fields')) params.set('fields', choice.fields.join(','))
  for (const filter of reportFilters) {
    const value = choice.filters[filter]
    if (value !== undefined) params.set(filter, value)
  }
  if (choice.isCompared) params.set('compare', 'previous')
  if (choice.on !== null) params.set('on', choice.on)
  return params
}

/** The question of a choice, which is how it is stored. */
export function questionOfChoice(choice: ReportChoice): ReportQuestion {
  const { period, interval, aggregate, fields, uid, filters, isCompared } = choice
  return {
    period,
    interval,
    aggregateBy: reportAggregates.find(({ id }) => id === aggregate)?.value ?? '',
    ...(fields.length > 0 && { fields: fields.join(',') }),
    ...(uid !== null && { uid }),
    filters,
    ...(isCompared && { compare: 'previous' }),
  }
}

export type ReportChoice = {
  period: ReportPeriodName | null
  interval: ReportInterval | null
  aggregate: ReportAggregate
  fields: string[]
  uid: string | null
  filters: Partial<Record<ReportFilter, string>>
  isCompared: boolean
  /** The day as of which the report is asked for; null for today. */
  on: string | null
}

/** Says why a question cannot be saved or scheduled; null if it can. */
export function whyNotKept(report: Pick<ReportDefinition, 'one'>, { uid, on, filters }: ReportChoice): string | null {
  if (isWithoutPeriod(report, { uid }) || on !== null)
    return 'This report is about one message or one day. Choose a period first.'
  // It would stay after the erasure of whoever typed it.
  if (filters.position !== undefined) return 'A position may be what one person typed. Choose all positions first.'
  return null
}

type ReportErrors = Partial<Record<ReportNeed | ReportFilter | 'compare' | 'on' | 'doubled', string>>

/** The first day as of which a report can be asked for. */
const earliestDay = '2000-01-01'

/** Reads what an address asks for. Every parameter is checked, also one that the report does not use (C-249). */
export function readReportQuestion(
  { path, needs, isPeriodOptional = false, one }: Pick<ReportDefinition, 'path' | 'needs' | 'isPeriodOptional' | 'one'>,
  question: ReportQuestion,
): { ok: true; choice: ReportChoice } | { ok: false; errors: ReportErrors } {
  const errors: ReportErrors = {}
  const period = reportPeriods.find((one) => one === question.period) ?? null
  const interval = reportIntervals.find((one) => one === question.interval) ?? null
  const asked = question.aggregateBy ?? ''
  // A blank one is that of no message, and of every film.
  const asksForOne = one === 'message' ? (question.uid ?? null) !== null : Boolean(question.uid)
  const uid = one && asksForOne ? (question.uid ?? null) : null
  const aggregate = reportAggregates.find(({ value, label }) => value === asked || label === asked)
  const fields = [...new Set((question.fields ?? '').split(',').map((field) => field.trim()))].filter(Boolean)
  if (question.period && !period) errors.period = `The period is one of ${reportPeriods.join(', ')}.`
  else if (!period && !isPeriodOptional && !isWithoutPeriod({ one }, { uid })) errors.period = reportMessages.period
  if (question.interval && !interval) errors.interval = `The interval is one of ${reportIntervals.join(', ')}.`
  else if (!interval && needs.includes('interval')) errors.interval = reportMessages.interval
  if (!aggregate) errors.aggregate = 'aggregate_by is Institution, Position, Group or blank for User.'
  if (needs.includes('fields') && fields.length === 0) errors.fields = reportMessages.fields
  if (!needs.includes('fields') && fields.length > 0) errors.fields = 'The columns of this report cannot be chosen.'
  const on = question.on || null
  if (on !== null && (!isDay(on) || on < earliestDay)) errors.on = `on is a day from ${earliestDay} to today.`
  const [doubled] = question.doubled ?? []
  if (doubled) errors.doubled = `The address has ${doubled} more than once.`
  if (question.compare && question.compare !== 'previous') errors.compare = 'compare is previous or blank.'
  const filters: ReportChoice['filters'] = {}
  for (const filter of reportFilters) {
    const value = question.filters?.[filter]
    if (!value) continue
    const refusal = refusalOfFilter(path, filter, value, question.filters)
    if (refusal) errors[filter] = refusal
    filters[filter] = value
  }
  if (Object.keys(errors).length > 0 || !aggregate) return { ok: false, errors }
  return {
    ok: true,
    choice: {
      period,
      interval,
      aggregate: aggregate.id,
      fields,
      uid,
      filters,
      isCompared: question.compare === 'previous',
      on,
    },
  }
}
