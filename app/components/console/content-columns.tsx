/** The columns and filters that the console's tables of content share. */
import type { FilterOption } from '~/lib/table-query.ts'
import type { Column, Filter } from './grid/data-grid.tsx'
import { ValuesCell } from './grid/values-cell.tsx'
import { StatusChip } from './status-chip.tsx'

/** What every table of content shows of a row. */
export type ItemRow = {
  uid: string
  name: string
  status: 'draft' | 'published'
  tags: string[]
  /** The uids of the groups with access, for the filter. */
  planUids: string[]
  /** A date in the site's time zone, and the same in milliseconds for sorting. */
  updatedOn: string
  updatedAt: number
}

/** What the tables of modules and courses show of a row. */
export type ContentRow = ItemRow & {
  /** The version that learners open while the latest one is a draft; null otherwise. */
  olderLive: number | null
  plans: string[]
  authorUid: string | null
  /** First name and last initial; null if there is no version or its author no longer exists. */
  author: string | null
  version: number | null
}

/** Each table sets its own widths. */
export const itemColumns = {
  tags: {
    id: 'tags',
    header: 'Tags',
    value: ({ tags }) => tags.join('\n'),
    cell: ({ tags, name }) => <ValuesCell values={tags} allLabel={`all tags of ${name}`} className="tag" />,
    searched: ({ tags }) => tags,
    width: 114,
    grow: 1.1,
    isMinor: true,
  },
  updated: {
    id: 'updated',
    header: 'Last Updated',
    value: ({ updatedAt }) => updatedAt,
    cell: ({ updatedOn }) => updatedOn,
    width: 74,
    grow: 0.6,
  },
} satisfies Record<string, Column<ItemRow>>

export const contentColumns = {
  ...itemColumns,
  status: {
    id: 'status',
    header: 'Status',
    value: ({ status }) => status,
    cell: ({ status, olderLive }) => (
      <>
        <StatusChip status={status} />
        {olderLive !== null && <span className="muted small chipnote">v{olderLive} is published</span>}
      </>
    ),
    width: 110,
  },
  plans: {
    id: 'plans',
    header: 'Groups with Access',
    value: ({ plans }) => plans.join(', '),
    cell: ({ plans, name }) => <ValuesCell values={plans} allLabel={`all groups with access to ${name}`} />,
    width: 90,
    grow: 1,
    isMinor: true,
  },
  author: {
    id: 'author',
    header: 'Author',
    value: ({ author }) => author,
    cell: ({ author }) =>
      author === null ? (
        '–'
      ) : (
        <span className="two" title={author}>
          {author}
        </span>
      ),
    width: 82,
    grow: 1,
    isMinor: true,
  },
  version: {
    id: 'version',
    header: 'Version',
    value: ({ version }) => version,
    cell: ({ version }) => (version === null ? '–' : `v${version}`),
    width: 60,
    isMinor: true,
  },
} satisfies Record<string, Column<ContentRow>>

/** The filter by group. `source` is the address of the rows, which also finds more options. */
export function groupFilter(source: string, options: FilterOption[]): Filter<ItemRow> {
  return {
    name: 'group',
    label: 'Group',
    options,
    more: `${source}?options=group`,
    valuesOf: ({ planUids }) => planUids,
  }
}

/** The filters by group and author. */
export function peopleFilters(
  source: string,
  { group, author }: { group: FilterOption[]; author: FilterOption[] },
): Filter<ContentRow>[] {
  return [
    groupFilter(source, group),
    {
      name: 'author',
      label: 'Author',
      options: author,
      more: `${source}?options=author`,
      valuesOf: ({ authorUid }) => (authorUid === null ? [] : [authorUid]),
    },
  ]
}
