/** Where the figures, cells and columns of a report lead. */
import { linesId } from '~/components/console/reports/view.ts'
import { findReport, type ReportPath, reportPagePath, reports } from '~/forms/report-list.ts'
import {
  filtersOf,
  type GroupingFilter,
  groupingFilters,
  type ReportChoice,
  reportAggregates,
  reportParams,
} from '~/forms/reports.ts'
import type { CsvRow } from '~/lib/csv.ts'
import type { ReportPage } from '~/services/reports/reports.server.ts'

export type Sort = { column: number; isDescending: boolean }

/**
 * `sort=3` is by the fourth column of the file, `sort=-3` from its end. A form sends `sort=3~Institution` with the kind
 * of line that had this column (`aggregate_by`): lines of another kind have other columns, and are not sorted by it.
 */
export function sortIn(params: URLSearchParams): Sort | null {
  const match = /^(-?)(\d{1,3})(?:~(.*))?$/.exec(params.get('sort') ?? '')
  if (!match || (match[3] !== undefined && match[3] !== (params.get('aggregate_by') ?? ''))) return null
  return { column: Number(match[2]), isDescending: match[1] === '-' }
}

export function writeSort({ column, isDescending }: Sort): string {
  return `${isDescending ? '-' : ''}${column}`
}

const averageTimes = 'modules/time_to_complete/avg'
const times = reports.find(({ path }) => path === 'modules/time_to_complete')

/** Figures that count some of the rows, which have a filter. */
const filtersOfFigures: Record<string, ReportChoice['filters']> = {
  Correct: { correct: 'yes' },
  'Searches without results': { results: 'none' },
  'Plays to the end': { ended: 'yes' },
}

/** What figures count, by the report that has a line for each. */
const countedBy: Record<string, ReportPath> = {
  Searches: 'search_terms/searches',
  'Searches without results': 'search_terms/searches',
  Logins: 'logins',
  Sessions: 'sessions',
  'Total time': 'sessions',
  Plays: 'videos/plays',
  'Plays to the end': 'videos/plays',
  'Time watched': 'videos/plays',
}

/** The address of the lines that a figure counts; null if no report lists them for these filters, or this one does. */
function linesBehind(
  { report, choice }: Pick<ReportPage, 'report' | 'choice'>,
  label: string,
  { uid = choice.uid, ...filters }: ReportChoice['filters'] & { uid?: string | null } = {},
): string | null {
  const lines = findReport(countedBy[label] ?? '')
  if (!lines || lines.path === report.path) return null
  // People who logged in once are not in it.
  if (report.path === 'logins/avg_time_between_logins' && !filters.person) return null
  const asked = { ...choice, uid, filters: { ...choice.filters, ...filters, ...filtersOfFigures[label] } }
  const known: readonly string[] = filtersOf(lines.path)
  if (Object.keys(asked.filters).some((filter) => !known.includes(filter))) return null
  return `${reportPagePath(lines)}?${reportParams(lines, asked)}`
}

/** Figures that count completed modules. Each of these is a row of the times to complete. */
const completions = ['Modules completed', 'Completions']

function timesOf(choice: ReportChoice, filters: ReportChoice['filters'] = {}): string {
  const asked = { ...choice, aggregate: 'user' as const, filters: { ...choice.filters, ...filters } }
  return times ? `${reportPagePath(times)}?${reportParams(times, asked)}` : ''
}

/**
 * The rows that a figure counts: logins, sessions, plays, completed modules, answers or searches of their own; for sums
 * over people, the same for each person; of averages, each time; else the lines of the page, in order by the column of the
 * figure.
 */
export function rowsBehind({ report, choice, columns }: ReportPage, label: string): string {
  const isSummedUp = report.needs.includes('aggregate') && choice.aggregate !== 'user'
  const lines = linesBehind({ report, choice }, label)
  if (lines) return lines
  if (countsLines({ report, choice }, label)) {
    return `${reportPagePath(report)}?${reportParams(report, choice)}#${linesId}`
  }
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

/** True for the number of lines, and of the institutions, positions or groups that they are about. */
function countsLines({ report, choice }: Pick<ReportPage, 'report' | 'choice'>, label: string): boolean {
  if (!report.needs.includes('aggregate')) return false
  if (label === 'Rows' || choice.aggregate === 'user') return label === 'Rows'
  return label === reportAggregates.find(({ id }) => id === choice.aggregate)?.lines
}

/** Numbers in lines that count nothing anybody did. */
const lengthsOfPeriod = ['Days', 'Weeks', 'Months']

/** The rows that a figure in a line counts: of its person, institution, module and film. Null where nothing has them. */
export function rowsOfCell(
  { report, choice }: ReportPage,
  column: ReportPage['columns'][number] | undefined,
  line: ReportPage['lines'][number],
  value: CsvRow[number],
): string | null {
  // 0, or a duration of 0:00:00
  const isNothing = value === null || Number(String(value).replaceAll(':', '')) === 0
  if (!column || !['number', 'duration'].includes(column.kind) || isNothing) return null
  // A line of the times is a completion itself.
  if (lengthsOfPeriod.includes(column.head) || report.path === times?.path) return null
  const [person, module, term, film, homeFilm] = ['user', 'module', 'term', 'film', 'home_film'].map((about) =>
    linkedIn(line, about),
  )
  if (term) return linesBehind({ report, choice }, column.head, { term })
  if (film || homeFilm) {
    return linesBehind({ report, choice }, column.head, film ? { uid: film } : { home_film: homeFilm })
  }
  const grouping = groupingOf(line)
  if (!person && !grouping) return null
  if (completions.includes(column.head) || report.path === averageTimes) {
    return timesOf(choice, { ...(person ? { person } : grouping), ...(module && { module }) })
  }
  if (person) return linesBehind({ report, choice }, column.head, { person })
  if (!grouping) return null
  return linesBehind({ report, choice }, column.head, grouping) ?? peopleOf(report, choice, grouping)
}

type Grouping = Pick<ReportChoice['filters'], 'institution' | GroupingFilter>

/** The institution, position or group that a line is about; null for the line of a person. */
function groupingOf(line: ReportPage['lines'][number]): Grouping | null {
  const about = (['institution', ...groupingFilters] as const).find((one) => linkedIn(line, one) !== undefined)
  return about ? { [about]: linkedIn(line, about) } : null
}

function linkedIn(line: ReportPage['lines'][number], about: string): string | undefined {
  const link = line.find((cell) => cell.link?.startsWith(`${about}:`))?.link
  return link?.slice(about.length + 1)
}

/** What the people of one institution, position or group did, each in a line. */
function peopleOf(report: ReportPage['report'], choice: ReportChoice, grouping: Grouping): string {
  const people = { ...choice, aggregate: 'user' as const, filters: { ...choice.filters, ...grouping } }
  return `${reportPagePath(report)}?${reportParams(report, people)}`
}

/**
 * The page of what a cell is about. The figures of an institution, position or group are those of its people, and an average
 * of a module is that of its times. A person leads to their attempts at the module of the line. A question leads to its
 * answers, a term to its searches, and a film of the home page to its plays.
 */
export function pageOf({ report, choice }: ReportPage, link: string, line: ReportPage['lines'][number]): string | null {
  const [about = '', uid = '', ...rest] = link.split(':')
  const name = [uid, ...rest].join(':')
  if (about === 'module' && report.path === averageTimes) return timesOf(choice, { module: uid, ...groupingOf(line) })
  switch (about) {
    case 'institution':
    case 'position':
    case 'site_group':
      return peopleOf(report, choice, { [about]: name })
    case 'term':
      return linesBehind({ report, choice }, 'Searches', { term: name })
    case 'home_film':
      return linesBehind({ report, choice }, 'Plays', { home_film: name })
    case 'question': {
      const answers = { ...choice, filters: { ...choice.filters, module: uid, question: rest.join(':') } }
      return `${reportPagePath(report)}?${reportParams(report, answers)}`
    }
    case 'user': {
      const module = linkedIn(line, 'module')
      if (module) return `/dashboard/modules/${module}/learners/${uid}/`
      return `/dashboard/users/${uid}/${report.path.startsWith('modules/') ? 'progress/' : ''}`
    }
    case 'film':
      return `${reportPagePath(report)}?${reportParams(report, { ...choice, uid })}`
    case 'module':
      return `/dashboard/modules/${uid}/report/`
    default:
      return `/dashboard/${about}s/${uid}/`
  }
}
