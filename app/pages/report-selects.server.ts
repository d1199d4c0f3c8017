/** The selects of a report: its parameters, and what its rows are narrowed to. */
import type { ReportView } from '~/components/console/reports/view.ts'
import { isWithoutPeriod, type ReportDefinition } from '~/forms/report-list.ts'
import {
  filtersOf,
  type ReportChoice,
  type ReportFilter,
  reportAggregates,
  reportFilterLabels,
  reportIntervalLabels,
} from '~/forms/reports.ts'
import { groupChoices, noneOfThem } from '~/forms/user-tables.ts'
import { reportPeriodLabels } from '~/lib/report-periods.ts'
import { cutText } from '~/lib/text.ts'
import { listAudienceNames } from '~/services/audiences/audiences.server.ts'
import type { Ctx } from '~/services/context.ts'
import { findSiteGroups } from '~/services/reports/lines-of-people.server.ts'
import { listRowChoices, type RowChoice } from '~/services/reports/narrow-rows.server.ts'
import { listUserFilterChoices } from '~/services/users/table.server.ts'

export function selectsOf(report: ReportDefinition, choice: ReportChoice): ReportView['selects'] {
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

/** The kind of the questions in a report, where it has some. */
function kindOf(path: string): 'quiz' | 'survey' | null {
  if (!filtersOf(path).includes('question')) return null
  return path === 'modules/survey' ? 'survey' : 'quiz'
}

/** The others are uids and words, which may be in capitals. */
const isText = (filter: ReportFilter) => ['question', 'position', 'term', 'home_film'].includes(filter)

const longestOption = 120

/** The longest lists begin with what is chosen, and have only so many (`mostFilterOptions`, a page of audiences). */
export async function filterSelects(
  ctx: Ctx,
  { path }: ReportDefinition,
  { filters }: Pick<ReportChoice, 'filters'>,
): Promise<ReportView['selects']> {
  const offered = filtersOf(path)
  if (offered.length === 0) return []
  const chosen = (filter: ReportFilter) => filters[filter] ?? ''
  const [{ institutions, plans }, audiences, { modules, questions, people }, groups] = await Promise.all([
    listUserFilterChoices(ctx, { filters: { institution: [chosen('institution')], plan: [chosen('plan')] } }),
    listAudienceNames(ctx, { chosen: chosen('audience') }),
    offered.includes('module') || filters.person
      ? listRowChoices(ctx, { filters, kind: kindOf(path) })
      : { modules: [], questions: [], people: [] },
    filters.site_group ? findSiteGroups(ctx) : new Map<string, { name: string }>(),
  ])
  const choicesOf = (list: RowChoice[]) =>
    Object.fromEntries(list.map(({ value, label }) => [value, cutText(label, longestOption)]))
  const optionsOf = (list: { uid: string; name: string }[]) =>
    Object.fromEntries(list.map(({ uid, name }) => [uid, name]))
  const onlyChosen = (filter: ReportFilter) =>
    choicesOf(chosen(filter) ? [{ value: chosen(filter), label: chosen(filter) }] : [])
  const selects: Record<ReportFilter, Pick<ReportView['selects'][number], 'all' | 'options'>> = {
    institution: {
      all: 'All institutions',
      options: { ...optionsOf(institutions), [noneOfThem]: 'No institution' },
    },
    group: {
      all: 'All groups',
      options: Object.fromEntries(groupChoices.map(({ value, label }) => [value, label])),
    },
    plan: {
      all: 'All plans',
      options: { ...optionsOf(plans), [noneOfThem]: 'No access plan' },
    },
    audience: { all: 'Everybody', options: optionsOf(audiences) },
    // Only what is chosen: a link has led here.
    person: { all: 'Everybody', options: choicesOf(people) },
    position: { all: 'All positions', options: onlyChosen('position') },
    site_group: {
      all: 'All groups',
      options: Object.fromEntries([...groups].map(([key, { name }]) => [key, name])),
    },
    term: { all: 'All search terms', options: onlyChosen('term') },
    home_film: { all: 'All films', options: onlyChosen('home_film') },
    module: { all: 'All modules', options: choicesOf(modules) },
    question: { all: 'All questions', options: choicesOf(questions) },
    correct: { all: 'All answers', options: { yes: 'Correct', no: 'Wrong' } },
    results: { all: 'All searches', options: { none: 'Without results' } },
    ended: { all: 'All plays', options: { yes: 'To the end' } },
  }
  return offered
    .filter((filter) => Object.keys(selects[filter].options).length > 0)
    .map((filter) => ({
      ...selects[filter],
      name: filter,
      label: reportFilterLabels[filter],
      chosen: isText(filter) ? chosen(filter) : chosen(filter).toLowerCase(),
    }))
}
