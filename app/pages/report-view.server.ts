/** A report as a page: its totals, one page of its lines, and what can be chosen. */
import { linesId, type RefusedReport, type ReportView } from '~/components/console/reports/view.ts'
import {
  findReport,
  findReportOfPage,
  isWithoutPeriod,
  type ReportDefinition,
  type ReportNeed,
  type ReportTab,
  reportPagePath,
  reportTabs,
} from '~/forms/report-list.ts'
import {
  filtersOf,
  type ReportChoice,
  type ReportQuestion,
  readReportQuestion,
  reportAggregates,
  reportFieldLabels,
  reportFilterLabels,
  reportIntervalLabels,
  reportMessages,
  reportParams,
  reportQuestionOf,
  whyNotKept,
} from '~/forms/reports.ts'
import type { CsvRow } from '~/lib/csv.ts'
import { formatCalendarDay, formatMoment } from '~/lib/dates.ts'
import { durationInWords } from '~/lib/duration.ts'
import { reportPeriodLabels } from '~/lib/report-periods.ts'
import { pageNumber } from '~/lib/table-query.ts'
import type { Ctx } from '~/services/context.ts'
import { type FieldErrors, Invalid, NotFound, Outage, Unavailable } from '~/services/errors.ts'
import type { CellKind } from '~/services/reports/report-cells.server.ts'
import { hasTooManyRows } from '~/services/reports/report-length.server.ts'
import { getReportPage, linesOfReport, type ReportPage } from '~/services/reports/reports.server.ts'
import { findSavedView, type SavedView } from '~/services/reports/saved-views.server.ts'
import { chartOf } from './report-chart.server.ts'
import { figuresOf, groupsOf, inWords } from './report-figures.server.ts'
import { pageOf, rowsOfCell, type Sort, sortIn, writeSort } from './report-links.server.ts'
import { filterSelects, selectsOf } from './report-selects.server.ts'
import { daysInWords, getReportsPage } from './reports.server.ts'
import { addressOf } from './saved-views.server.ts'

/**
 * Reads the page of a report. Throws NotFound for an unknown one. What nobody knows is refused with the form, where all
 * that can be kept is still chosen, and so is what takes too long or comes when many pages are being read.
 */
export async function getReportView(
  ctx: Ctx,
  { id, params }: { id: string; params: URLSearchParams },
): Promise<{ view: ReportView } | { refused: RefusedReport; isBusy: boolean } | { sentence: string; isBusy: boolean }> {
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
        ...{ sort: sortIn(params), selects },
        opened: opened?.path === report.path ? opened : null,
        isViewGone: !opened && Boolean(params.get('view')),
      }),
    }
  } catch (error) {
    const isBusy = error instanceof Unavailable && !(error instanceof Outage)
    if (!(error instanceof Invalid || isBusy)) throw error
    // The report about messages is asked for in a dialog of theirs.
    if (report.tab === 'messages') {
      return {
        sentence: sentencesOf(Object.entries(inPlainWords(error.fieldErrors, question))) ?? error.message,
        isBusy,
      }
    }
    const refused = await refusalOf(
      ctx,
      { ...report, tab: report.tab },
      { ...question, view: params.get('view') },
      error,
    )
    return { refused, isBusy }
  }
}

async function refusalOf(
  ctx: Ctx,
  report: ReportDefinition & { tab: ReportTab },
  question: ReportQuestion & { view: string | null },
  error: Invalid | Unavailable,
): Promise<RefusedReport> {
  const { tab, path, needs } = report
  const asked = Object.entries(inPlainWords(error.fieldErrors, question))
  const isAsked = (name: string) => needs.some((need) => need === name)
  return {
    ...(await getReportsPage(ctx, {
      ...{ tab, chosen: path, refused: error.fieldErrors },
      // Without one, the report is about each person.
      question: { ...question, aggregateBy: question.aggregateBy ?? '' },
    })),
    message:
      asked.length === 0
        ? error.message
        : (sentencesOf(asked.filter(([name]) => !isAsked(name)).map(notAsked)) ?? chooseAgain(asked)),
    errors: Object.fromEntries(asked) as Partial<Record<ReportNeed, string>>,
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
  const labels: Record<string, string> = reportFilterLabels
  return Object.fromEntries(
    Object.entries(errors).map(([name, sentence]) => [
      name,
      plain[name] ??
        // The values of a parameter have other names in the form.
        (sentence.includes('can only be')
          ? `Please choose “${labels[name] ?? name}” again.`
          : sentence.replace(`“${name}”`, `“${labels[name] ?? name}”`)),
    ]),
  )
}

/** Only the forms of other reports have this field, so the values to choose from would say nothing here. */
function notAsked([name, sentence]: [string, string]): [string, string] {
  const labels: Record<string, string> = reportFieldLabels
  return [
    name,
    sentence.startsWith('Choose one of') ? `This report has no “${labels[name] ?? name}” to choose.` : sentence,
  ]
}

/**
 * "Choose an interval. Please choose “Period” again." The fields are marked too, but may be below the first screen.
 */
function chooseAgain(asked: [string, string][]): string {
  const labels: Record<string, string> = reportFieldLabels
  const missing: readonly string[] = Object.values(reportMessages)
  const isMissing = ([, sentence]: [string, string]) => missing.includes(sentence)
  const wrong = asked.filter((one) => !isMissing(one)).map(([name]) => `“${labels[name] ?? name}”`)
  const again = wrong.length === 0 ? [] : [`Please choose ${wrong.join(' and ')} again.`]
  return [...asked.filter(isMissing).map(([, sentence]) => `${sentence}.`), ...again].join(' ')
}

/** What no field of the form shows; null if there is nothing. */
function sentencesOf(errors: [string, string][]): string | null {
  const sentences = errors.map(([, sentence]) => (sentence.endsWith('.') ? sentence : `${sentence}.`))
  return sentences.length > 0 ? sentences.join(' ') : null
}

type Shown = Pick<ReportView, 'selects' | 'isViewGone'> & { sort: Sort | null; opened: SavedView | null }

function viewOf(ctx: Ctx, found: ReportPage, { sort, selects, opened, isViewGone }: Shown): ReportView {
  const { report, choice, period, columns, lines, count, page } = found
  const path = reportPagePath(report)
  const params = reportParams(report, choice)
  if (opened) params.set('view', opened.uid)
  const sorted = new URLSearchParams(params)
  if (sort) sorted.set('sort', writeSort(sort))
  const { page: size, most } = linesOfReport
  const canBeKept = whyNotKept(report, choice) === null
  const lineKind = report.needs.includes('aggregate') ? (params.get('aggregate_by') ?? '') : null
  return {
    tab: report.tab === 'messages' ? null : report.tab,
    back: backOf(report, choice, opened?.uid ?? null),
    title: titleOf(found),
    meaning: report.meaning,
    days: isWithoutPeriod(report, choice) ? 'One message' : daysInWords(period),
    timeZone: ctx.site.timeZone.replaceAll('_', ' '),
    path,
    file: `/api/reports/${report.path}/?${reportParams(report, { ...choice, isCompared: false })}`,
    prepareTo: hasTooManyRows(count) ? `${path}prepare/?${sorted}` : null,
    selects,
    isSorted: sort !== null,
    saveTo: canBeKept ? `${path}save/?${sorted}` : null,
    scheduleTo: canBeKept ? `${path}schedule/?${sorted}` : null,
    isViewGone,
    view: opened && openedView(opened, { found, sort, saveTo: canBeKept ? `${path}view/?${sorted}` : null }),
    asOf: choice.on === null ? null : asOfInWords(report, choice, sort),
    hidden: [...sorted]
      .filter(([name]) => ['fields', 'uid', 'view', 'on', 'sort'].includes(name))
      .map(([name, value]) => ({
        name,
        value: name === 'sort' && lineKind !== null ? `${value}~${lineKind}` : value,
      })),
    isCompared: isWithoutPeriod(report, choice) ? null : choice.isCompared,
    compared: comparedInWords(found),
    ...groupsOf(report, figuresOf(found)),
    chart: chartOf(report.path, found.chart, period, (link) => pageOf(found, link, [])),
    heads: columns.map(({ head }) => head),
    numbers: columns.map(({ kind }) => isNumber(kind)),
    sorts: columns.map(({ column, kind }) => sortOf({ path, params, sort }, column, isNumber(kind))),
    sortBy: sortByOf({ path, params, sort }, columns),
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
    isBroken: saved === null,
    saved: isChanged ? saved : null,
    saveTo: isChanged && isOwn ? saveTo : null,
  }
}

/** "Videos: Introduction", "Logins (Student)" */
function titleOf({ report, film, words }: ReportPage): string {
  const title = film === null ? report.title : `${report.title}: ${film}`
  const narrowed = words.filter((word) => word !== film)
  return narrowed.length > 0 ? `${title} (${narrowed.join(', ')})` : title
}

/** By what the lines are summed up that have led here, and whom they are about. A person is one of the people of a line. */
function linesAbove(report: ReportDefinition, choice: ReportChoice): Pick<ReportChoice, 'aggregate' | 'filters'> {
  const { position, site_group, person, institution } = choice.filters
  if (person !== undefined) return { aggregate: 'user', filters: { position, site_group, institution } }
  if (position !== undefined) return { aggregate: 'position', filters: { institution } }
  if (site_group !== undefined) return { aggregate: 'group', filters: { institution } }
  const isOfInstitution = institution !== undefined && report.needs.includes('aggregate') && choice.aggregate === 'user'
  return isOfInstitution ? { aggregate: 'institution', filters: {} } : { aggregate: 'user', filters: { institution } }
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

/**
 * From the lines behind figures, the way back leads to the report that counts them, of all films, with the filters that it
 * has. From the people of an institution, position or group it leads to the lines about these, and from the answers to one
 * question to all answers.
 */
function backOf(report: ReportDefinition, choice: ReportChoice, view: string | null): ReportView['back'] {
  const { position: _, site_group: __, person, institution: ___, question, ...others } = choice.filters
  const isOfOneQuestion = question !== undefined
  const { aggregate, filters: kept } = linesAbove(report, choice)
  const isOfLine = report.needs.includes('aggregate') && (aggregate !== 'user' || person !== undefined)
  const above = isOfLine || isOfOneQuestion ? report : findReport(report.countedIn ?? '')
  if (above) {
    const known: readonly string[] = filtersOf(above.path)
    const wanted = Object.entries({ ...others, ...kept, ...(isOfOneQuestion && { person }) })
    const filters = Object.fromEntries(wanted.filter(([name, value]) => value !== undefined && known.includes(name)))
    const asked: ReportChoice = { ...choice, aggregate, uid: null, filters }
    return { to: `${reportPagePath(above)}?${reportParams(above, asked)}`, label: above.title }
  }
  const tab = reportTabs.find(({ id }) => id === report.tab)
  if (!tab) return { to: '/dashboard/messages/', label: 'Manage Messages' }
  const params = reportParams(report, { ...choice, uid: null, on: null })
  params.set('report', report.path)
  if (view !== null) params.set('view', view)
  return { to: `${tab.path}?${params}`, label: tab.label }
}

type Sorted = { path: string; params: URLSearchParams; sort: Sort | null }

/** The address of the lines in an order; null for the usual one. */
function sortedAddress({ path, params }: Sorted, sort: Sort | null): string {
  const next = new URLSearchParams(params)
  if (sort) next.set('sort', writeSort(sort))
  return `${path}?${next}#${linesId}`
}

/** The first click on a column with numbers leads to the largest. */
function sortOf(sorted: Sorted, column: number, isNumber: boolean): ReportView['sorts'][number] {
  const { sort } = sorted
  const isSorted = sort?.column === column
  const isDescending = isSorted ? !sort.isDescending : isNumber
  const direction = isSorted ? (sort.isDescending ? 'descending' : 'ascending') : undefined
  return { to: sortedAddress(sorted, { column, isDescending }), direction }
}

/** As in the heads of the table, the first choice of a column with numbers leads to the largest. */
function sortByOf(sorted: Sorted, columns: ReportPage['columns']): ReportView['sortBy'] {
  // An address can name a column that the report does not have.
  const sort = columns.some(({ column }) => column === sorted.sort?.column) ? sorted.sort : null
  const orders = columns.map(({ column, head, kind }) => {
    const order = sort?.column === column ? sort : { column, isDescending: isNumber(kind) }
    return { value: writeSort(order), label: head, to: sortedAddress(sorted, order) }
  })
  return {
    hidden: [...sorted.params].map(([name, value]) => ({ name, value })),
    orders: [{ value: '', label: 'Usual order', to: sortedAddress(sorted, null) }, ...orders],
    chosen: sort ? writeSort(sort) : '',
    direction: sort && {
      isDescending: sort.isDescending,
      ascending: sortedAddress(sorted, { ...sort, isDescending: false }),
      descending: sortedAddress(sorted, { ...sort, isDescending: true }),
    },
  }
}

function comparedInWords({ choice, before }: ReportPage): string | null {
  if (!choice.isCompared) return null
  return before ? `Compared with ${daysInWords(before.period)}.` : 'There is no period before this one.'
}

function isNumber(kind: CellKind): boolean {
  return kind === 'number' || kind === 'duration'
}

/** The file has times and durations for programs, the screen as all pages have them. */
function cellOf(cell: CsvRow[number], kind: CellKind | undefined): string {
  if (cell === null || cell === '') return '–'
  if (kind === 'number' && typeof cell === 'number') return inWords(cell)
  if (kind === 'day') return formatCalendarDay(String(cell))
  // 2026-11-03 14:05:09, by the clocks of the site
  if (kind === 'time') return formatMoment(new Date(`${String(cell).replace(' ', 'T')}Z`), 'UTC')
  if (kind === 'duration') {
    const [hours = 0, minutes = 0, seconds = 0] = String(cell).split(':').map(Number)
    return durationInWords((hours * 60 + minutes) * 60 + seconds)
  }
  return String(cell)
}
