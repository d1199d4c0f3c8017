/** A report as a page: its totals, one page of its lines, and what can be chosen. */
import { linesId, type RefusedReport, type ReportFigure, type ReportView } from '~/components/console/reports/view.ts'
import {
  filtersOf,
  findReportOfPage,
  isWithoutPeriod,
  type ReportChoice,
  type ReportDefinition,
  type ReportFilter,
  type ReportNeed,
  type ReportQuestion,
  type ReportTab,
  readReportQuestion,
  reportAggregates,
  reportIntervalLabels,
  reportPagePath,
  reportParams,
  reportQuestionOf,
  reports,
  reportTabs,
} from '~/forms/reports.ts'
import { groupChoices, noneOfThem } from '~/forms/user-tables.ts'
import type { CsvRow } from '~/lib/csv.ts'
import { formatCalendarDay, formatMoment } from '~/lib/dates.ts'
import { durationInWords } from '~/lib/duration.ts'
import { reportPeriodLabels } from '~/lib/report-periods.ts'
import { pageNumber } from '~/lib/table-query.ts'
import { cutText } from '~/lib/text.ts'
import { listAudienceNames } from '~/services/audiences/audiences.server.ts'
import type { Ctx } from '~/services/context.ts'
import { type FieldErrors, Invalid, NotFound } from '~/services/errors.ts'
import { listRowChoices, type RowChoice } from '~/services/reports/narrow-rows.server.ts'
import type { CellKind } from '~/services/reports/report-cells.server.ts'
import { hasTooManyRows } from '~/services/reports/report-length.server.ts'
import { getReportPage, linesOfReport, type ReportPage, type ReportTotal } from '~/services/reports/reports.server.ts'
import { findSavedView, type SavedView } from '~/services/reports/saved-views.server.ts'
import { listUserFilterChoices } from '~/services/users/table.server.ts'
import { chartOf } from './report-chart.server.ts'
import { daysInWords, getReportsPage } from './reports.server.ts'
import { addressOf } from './saved-views.server.ts'

/**
 * Reads the page of a report. Throws NotFound for an unknown one. What nobody knows is refused with the form, where all
 * that can be kept is still chosen.
 */
export async function getReportView(
  ctx: Ctx,
  { id, params }: { id: string; params: URLSearchParams },
): Promise<{ view: ReportView } | { refused: RefusedReport } | { sentence: string }> {
  const report = findReportOfPage(id)
  if (!report) throw new NotFound()
  const question = reportQuestionOf(params)
  try {
    const page = pageNumber(params.get('page'))
    const found = await getReportPage(ctx, { path: report.path, question, page, sort: sortIn(params) })
    const [filters, opened] = await Promise.all([
      filterSelects(ctx, report, found.choice),
      findSavedView(ctx, { viewUid: params.get('view') ?? '' }),
    ])
    const selects = [...selectsOf(report, found.choice), ...filters]
    return {
      view: viewOf(ctx, found, {
        ...{ page, sort: sortIn(params), selects },
        opened: opened?.path === report.path ? opened : null,
      }),
    }
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    // The report about messages is asked for in a dialog of theirs.
    if (report.tab === 'messages') {
      return { sentence: sentencesOf(Object.entries(inPlainWords(error.fieldErrors, question))) ?? error.message }
    }
    return { refused: await refusalOf(ctx, { ...report, tab: report.tab }, question, error) }
  }
}

async function refusalOf(
  ctx: Ctx,
  report: ReportDefinition & { tab: ReportTab },
  { period, interval, aggregateBy, fields, filters = {}, compare }: ReportQuestion,
  error: Invalid,
): Promise<RefusedReport> {
  const { tab, path, needs } = report
  const asked = Object.entries(inPlainWords(error.fieldErrors, { period, interval, aggregateBy }))
  const isAsked = (name: string) => needs.some((need) => need === name)
  const known = Object.entries(filters).filter(([name, value]) => value && !(name in error.fieldErrors))
  return {
    ...(await getReportsPage(ctx, { tab, chosen: path })),
    selects: await filterSelects(ctx, report, { filters: Object.fromEntries(known) }),
    hidden: compare === 'previous' ? [{ name: 'compare', value: compare }] : [],
    message: asked.length === 0 ? error.message : sentencesOf(asked.filter(([name]) => !isAsked(name))),
    errors: Object.fromEntries(asked) as Partial<Record<ReportNeed, string>>,
    values: {
      period: period ?? '',
      interval: interval ?? '',
      aggregate_by: aggregateBy ?? '',
      fields: (fields ?? '').split(','),
    },
  }
}

/** The page lists what can be chosen, by its names. The sentences for programs have the values of parameters. */
function inPlainWords(
  errors: FieldErrors,
  { period, interval, aggregateBy }: Pick<ReportQuestion, 'period' | 'interval' | 'aggregateBy'>,
): FieldErrors {
  const plain: FieldErrors = {
    ...(period && { period: `Choose one of ${Object.values(reportPeriodLabels).join(', ')}.` }),
    ...(interval && { interval: `Choose one of ${Object.values(reportIntervalLabels).join(', ')}.` }),
    ...(aggregateBy && { aggregate: `Choose one of ${reportAggregates.map(({ label }) => label).join(', ')}.` }),
    compare: 'A report can only be compared with the period before.',
    on: 'A report can be shown as of today or an earlier day.',
    doubled: 'The address says the same thing more than once. Please choose again.',
  }
  return Object.fromEntries(Object.entries(errors).map(([name, sentence]) => [name, plain[name] ?? sentence]))
}

/** What no field of the form shows; null if there is nothing. */
function sentencesOf(errors: [string, string][]): string | null {
  const sentences = errors.map(([, sentence]) => (sentence.endsWith('.') ? sentence : `${sentence}.`))
  return sentences.length > 0 ? sentences.join(' ') : null
}

type Sort = { column: number; isDescending: boolean }

/** `sort=3` is by the fourth column of the file, `sort=-3` from its end. */
function sortIn(params: URLSearchParams): Sort | null {
  const match = /^(-?)(\d{1,3})$/.exec(params.get('sort') ?? '')
  return match ? { column: Number(match[2]), isDescending: match[1] === '-' } : null
}

type Shown = { page: number; sort: Sort | null; selects: ReportView['selects']; opened: SavedView | null }

function viewOf(ctx: Ctx, found: ReportPage, { page, sort, selects, opened }: Shown): ReportView {
  const { report, choice, period, film, columns, lines, count } = found
  const path = reportPagePath(report)
  const params = reportParams(report, choice)
  if (opened) params.set('view', opened.uid)
  const sorted = new URLSearchParams(params)
  if (sort) sorted.set('sort', writeSort(sort))
  const { page: size, most } = linesOfReport
  const canBeKept = choice.uid === null && choice.on === null
  return {
    tab: report.tab === 'messages' ? null : report.tab,
    back: backOf(report),
    title: film === null ? report.title : `${report.title}: ${film}`,
    meaning: report.meaning,
    days: isWithoutPeriod(report, choice) ? 'One message' : daysInWords(period),
    timeZone: ctx.site.timeZone.replaceAll('_', ' '),
    path,
    file: `/api/reports/${report.path}/?${reportParams(report, { ...choice, isCompared: false })}`,
    prepareTo: hasTooManyRows(count) ? `${path}prepare/?${sorted}` : null,
    selects,
    isSorted: sort !== null,
    saveTo: canBeKept ? `${path}save/?${sorted}` : null,
    scheduleTo: canBeKept ? `${path}schedule/?${params}` : null,
    view: opened && openedView(opened, { found, sort, saveTo: canBeKept ? `${path}view/?${sorted}` : null }),
    asOf: choice.on === null ? null : asOfInWords(report, choice, sort),
    hidden: [...params]
      .filter(([name]) => name === 'fields' || name === 'uid' || name === 'view')
      .map(([name, value]) => ({ name, value })),
    isCompared: isWithoutPeriod(report, choice) ? null : choice.isCompared,
    compared: comparedInWords(found),
    ...groupsOf(report, figuresOf(found)),
    chart: chartOf(report.path, found.chart, period),
    heads: columns.map(({ head }) => head),
    numbers: columns.map(({ kind }) => isNumber(kind)),
    sorts: columns.map(({ column, kind }) => sortOf({ path, params, sort }, column, isNumber(kind))),
    lines: lines.map((line) =>
      line.map(({ value, link }, index) => ({
        text: cellOf(value, columns[index]?.kind),
        to: link ? pageOf(found, link, line) : rowsOfCell(found, columns[index], line, value),
      })),
    ),
    ...{ page, size },
    total: Math.min(count, most),
    cut:
      count > most
        ? `This page leads through the first ${inWords(most)} of ${inWords(count)} rows. The file has all of them.`
        : null,
    pages: `${path}?${sorted}`,
  }
}

function openedView(
  { uid, name, path, question, sort: savedSort, isOwn, owner }: SavedView,
  { found: { report, choice }, sort, saveTo }: { found: ReportPage; sort: Sort | null; saveTo: string | null },
): ReportView['view'] {
  const read = readReportQuestion(report, question)
  const saved = read.ok ? addressOf(path, read.choice, { sort: savedSort, view: uid }) : null
  const isChanged = saved !== addressOf(path, choice, { sort: sort && writeSort(sort), view: uid })
  return {
    name,
    sharing: isOwn ? null : `Shared by ${owner}`,
    saved: isChanged ? saved : null,
    saveTo: isChanged && isOwn ? saveTo : null,
  }
}

/** A report that was sent by email is shown for the days that its mail speaks of. */
function asOfInWords(report: ReportDefinition, choice: ReportChoice, sort: Sort | null): ReportView['asOf'] {
  const today = reportParams(report, { ...choice, on: null })
  if (sort) today.set('sort', writeSort(sort))
  return {
    words: `This report is as of ${formatCalendarDay(choice.on ?? '')}.`,
    today: `${reportPagePath(report)}?${today}`,
  }
}

function writeSort({ column, isDescending }: Sort): string {
  return `${isDescending ? '-' : ''}${column}`
}

function backOf(report: ReportDefinition): ReportView['back'] {
  const tab = reportTabs.find(({ id }) => id === report.tab)
  if (!tab) return { to: '/dashboard/messages/', label: 'Manage Messages' }
  return { to: `${tab.path}?${new URLSearchParams({ report: report.path })}`, label: tab.label }
}

/** The first click on a column with numbers leads to the largest. */
function sortOf(
  { path, params, sort }: { path: string; params: URLSearchParams; sort: Sort | null },
  column: number,
  isNumber: boolean,
): ReportView['sorts'][number] {
  const isSorted = sort?.column === column
  const isDescending = isSorted ? !sort.isDescending : isNumber
  const next = new URLSearchParams(params)
  next.set('sort', writeSort({ column, isDescending }))
  const direction = isSorted ? (sort.isDescending ? 'descending' : 'ascending') : undefined
  return { to: `${path}?${next}`, direction }
}

function selectsOf(report: ReportDefinition, choice: ReportChoice): ReportView['selects'] {
  const { needs, isPeriodOptional } = report
  const selects: ReportView['selects'] = []
  if (!isWithoutPeriod(report, choice)) {
    selects.push({
      name: 'period',
      label: 'Period',
      options: reportPeriodLabels,
      chosen: choice.period ?? (isPeriodOptional ? 'all_time' : ''),
    })
  }
  if (needs.includes('interval')) {
    selects.push({
      name: 'interval',
      label: 'Interval',
      options: reportIntervalLabels,
      chosen: choice.interval ?? '',
    })
  }
  if (needs.includes('aggregate')) {
    const chosen = reportAggregates.find(({ id }) => id === choice.aggregate)
    selects.push({
      name: 'aggregate_by',
      label: 'Aggregate by',
      options: Object.fromEntries(reportAggregates.map(({ value, label }) => [value, label])),
      chosen: chosen?.value ?? '',
    })
  }
  return selects
}

const longestOption = 120

/** The longest lists begin with what is chosen, and have only so many (`mostFilterOptions`, a page of audiences). */
async function filterSelects(
  ctx: Ctx,
  { path }: ReportDefinition,
  { filters }: Pick<ReportChoice, 'filters'>,
): Promise<ReportView['selects']> {
  const offered = filtersOf(path)
  if (offered.length === 0) return []
  const chosen = (filter: ReportFilter) => filters[filter] ?? ''
  const [{ institutions, plans }, audiences, { modules, questions, people }] = await Promise.all([
    listUserFilterChoices(ctx, { filters: { institution: [chosen('institution')], plan: [chosen('plan')] } }),
    listAudienceNames(ctx, { chosen: chosen('audience') }),
    offered.includes('module') ? listRowChoices(ctx, { filters }) : { modules: [], questions: [], people: [] },
  ])
  const choicesOf = (list: RowChoice[]) =>
    Object.fromEntries(list.map(({ value, label }) => [value, cutText(label, longestOption)]))
  const optionsOf = (list: { uid: string; name: string }[]) =>
    Object.fromEntries(list.map(({ uid, name }) => [uid, name]))
  const selects: Record<ReportFilter, Omit<ReportView['selects'][number], 'name' | 'chosen'>> = {
    institution: {
      label: 'Institution',
      all: 'All institutions',
      options: { ...optionsOf(institutions), [noneOfThem]: 'No institution' },
    },
    group: {
      label: 'Group',
      all: 'All groups',
      options: Object.fromEntries(groupChoices.map(({ value, label }) => [value, label])),
    },
    plan: {
      label: 'Access plan',
      all: 'All plans',
      options: { ...optionsOf(plans), [noneOfThem]: 'No access plan' },
    },
    audience: { label: 'Audience', all: 'Everybody', options: optionsOf(audiences) },
    // Only what is chosen: a link has led here.
    person: { label: 'Person', all: 'Everybody', options: choicesOf(people) },
    module: { label: 'Module', all: 'All modules', options: choicesOf(modules) },
    question: { label: 'Question', all: 'All questions', options: choicesOf(questions) },
    correct: { label: 'Answer', all: 'All answers', options: { yes: 'Correct', no: 'Wrong' } },
    results: { label: 'Results', all: 'All searches', options: { none: 'Without results' } },
  }
  return offered
    .filter((filter) => Object.keys(selects[filter].options).length > 0)
    .map((filter) => ({
      ...selects[filter],
      name: filter,
      chosen: filter === 'question' ? chosen(filter) : chosen(filter).toLowerCase(),
    }))
}

function comparedInWords({ choice, before }: ReportPage): string | null {
  if (!choice.isCompared) return null
  return before ? `Compared with ${daysInWords(before.period)}.` : 'There is no period before this one.'
}

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

function groupsOf(report: ReportDefinition, figures: ReportFigure[]): Pick<ReportView, 'figures' | 'moreFigures'> {
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

const averageTimes = 'modules/time_to_complete/avg'
const times = reports.find(({ path }) => path === 'modules/time_to_complete')

/** Figures that count some of the rows, which have a filter. */
const filtersOfFigures: Record<string, ReportChoice['filters']> = {
  Correct: { correct: 'yes' },
  'Searches without results': { results: 'none' },
}

/** Figures that count completed modules. Each of these is a row of the times to complete. */
const completions = ['Modules completed', 'Completions']

function timesOf(choice: ReportChoice, filters: ReportChoice['filters'] = {}): string {
  const asked = { ...choice, aggregate: 'user' as const, filters: { ...choice.filters, ...filters } }
  return times ? `${reportPagePath(times)}?${reportParams(times, asked)}` : ''
}

/**
 * The rows that a figure counts: completed modules, answers or searches of their own; of what people did together, that of
 * each of them; of averages, each time; else the lines of the page, in order by the column of the figure.
 */
function rowsBehind({ report, choice, columns }: ReportPage, label: string): string {
  const isSummedUp = report.needs.includes('aggregate') && choice.aggregate !== 'user'
  const filters = filtersOfFigures[label]
  if (filters) {
    const counted = { ...choice, filters: { ...choice.filters, ...filters } }
    return `${reportPagePath(report)}?${reportParams(report, counted)}#${linesId}`
  }
  if (completions.includes(label) || report.path === averageTimes) return timesOf(choice)
  if (isSummedUp && report.lines === 'People') {
    return `${reportPagePath(report)}?${reportParams(report, { ...choice, aggregate: 'user' })}`
  }
  const params = reportParams(report, choice)
  const column = columns.find(({ head }) => head === label)
  if (column) params.set('sort', writeSort({ column: column.column, isDescending: true }))
  return `${reportPagePath(report)}?${params}#${linesId}`
}

/** The rows that a figure in a line counts: of its person, institution and module. Null where nothing has them. */
function rowsOfCell(
  { report, choice }: ReportPage,
  column: ReportPage['columns'][number] | undefined,
  line: ReportPage['lines'][number],
  value: CsvRow[number],
): string | null {
  if (column?.kind !== 'number' || !Number(value)) return null
  const linked = (about: string) => line.flatMap(({ link }) => (link?.startsWith(`${about}:`) ? [uidIn(link)] : []))[0]
  const [person, institution, module] = [linked('user'), linked('institution'), linked('module')]
  // A line about a position or group has no filter.
  if (!person && !institution) return null
  if (completions.includes(column.head)) {
    return timesOf(choice, {
      ...(person ? { person } : { institution }),
      ...(module && { module }),
    })
  }
  return institution ? peopleOf(report, choice, institution) : null
}

/** What the people of an institution did, each in a line. */
function peopleOf(report: ReportPage['report'], choice: ReportChoice, institution: string): string {
  const people = { ...choice, aggregate: 'user' as const, filters: { ...choice.filters, institution } }
  return `${reportPagePath(report)}?${reportParams(report, people)}`
}

const uidIn = (link: string) => link.split(':')[1] ?? ''

function figuresOf(page: ReportPage): ReportFigure[] {
  const { report, choice, count, totals, before } = page
  const isSummedUp = report.needs.includes('aggregate') && report.lines === 'People'
  const aggregate = reportAggregates.find(({ id }) => id === choice.aggregate)
  const lines = (value: number): ReportTotal => ({
    label: isSummedUp && aggregate ? aggregate.lines : report.lines,
    value,
    isDuration: false,
  })
  // On the page of one film, the number of films says nothing.
  const inOrder = (count: number, totals: ReportTotal[]) => [
    ...totals.filter(({ note }) => note),
    ...(page.film === null ? [lines(count)] : []),
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

/**
 * The page of what a cell is about. The figures of an institution are those of its people, and an average of a module is
 * that of its times. A question leads to its answers.
 */
function pageOf({ report, choice }: ReportPage, link: string, line: ReportPage['lines'][number]): string {
  const [about = '', uid = '', ...rest] = link.split(':')
  if (about === 'module' && report.path === averageTimes) {
    const place = line.find((cell) => cell.link?.startsWith('institution:'))?.link
    return timesOf(choice, { module: uid, ...(place && { institution: uidIn(place) }) })
  }
  switch (about) {
    case 'institution':
      return peopleOf(report, choice, uid)
    case 'question': {
      const answers = { ...choice, filters: { ...choice.filters, module: uid, question: rest.join(':') } }
      return `${reportPagePath(report)}?${reportParams(report, answers)}`
    }
    case 'user':
      return `/dashboard/users/${uid}/${report.path.startsWith('modules/') ? 'progress/' : ''}`
    case 'film':
      return `${reportPagePath(report)}?${reportParams(report, { ...choice, uid })}`
    case 'module':
      return `/dashboard/modules/${uid}/report/`
    default:
      return `/dashboard/${about}s/${uid}/`
  }
}

function isNumber(kind: CellKind): boolean {
  return kind === 'number' || kind === 'duration'
}

/** The file has times and durations for programs, the screen as all pages have them. */
function cellOf(cell: CsvRow[number], kind: CellKind | undefined): string {
  if (cell === null || cell === '') return '–'
  if (kind === 'number' && typeof cell === 'number') return inWords(cell)
  // 2026-11-03 14:05:09, by the clocks of the site
  if (kind === 'time') return formatMoment(new Date(`${String(cell).replace(' ', 'T')}Z`), 'UTC')
  if (kind === 'duration') {
    const [hours = 0, minutes = 0, seconds = 0] = String(cell).split(':').map(Number)
    return durationInWords((hours * 60 + minutes) * 60 + seconds)
  }
  return String(cell)
}

function inWords(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 2 })
}
