import { type ReactNode, useMemo } from 'react'
import { modulesTable, mostAtOnce, noSection } from '~/forms/module-tables.ts'
import { formatPercent } from '~/lib/percent.ts'
import type { FilterOption } from '~/lib/table-query.ts'
import { LaunchButton, LaunchList } from '../modules/launch-form.tsx'
import { Empty } from '../ui/empty.tsx'
import { Icon } from '../ui/icon.tsx'
import { BulkNotice } from './bulk/bulk-notice.tsx'
import type { BulkView } from './bulk/view.ts'
import { ConsoleIcon } from './console-icon.tsx'
import { type Column, DataGrid, type Filter, type TablePage } from './grid/data-grid.tsx'
import { ActionFace, RowActions, RowLink } from './grid/row-actions.tsx'
import { ValuesCell } from './grid/values-cell.tsx'
import type { ModuleTableRow } from './modules/view.ts'
import { DialogLink } from './route-dialog.tsx'
import { StatusChip } from './status-chip.tsx'

type Props = {
  page: TablePage<ModuleTableRow>
  options: { section: FilterOption[]; group: FilterOption[]; author: FilterOption[] }
  /** The latest changes of many modules about which there is something to say. */
  notices: { operation: BulkView; canUndo: boolean }[]
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
}

const path = '/dashboard/modules/'
const source = '/dashboard/modules-rows/'

export function ModulesTable({ page, options, notices, selected, onSelect }: Props) {
  const filters = useMemo(() => filtersOf(options), [options])
  return (
    <>
      <header>
        <h1>Manage Modules</h1>
      </header>
      <LaunchList id="previews" />
      {notices.map((notice) => (
        <BulkNotice key={notice.operation.uid} {...notice} to={`${path}selected/`} />
      ))}
      <DataGrid
        table={modulesTable}
        label="Modules"
        path={path}
        source={source}
        page={page}
        columns={columns}
        filters={filters}
        rowId={({ uid }) => uid}
        rowName={({ name }) => name}
        actions={(row) => <Actions row={row} />}
        actionCount={4}
        selection={{
          selected,
          onChange: onSelect,
          whyNot: whyNotSelected,
          max: mostAtOnce,
          action: `${path}selected/`,
          actions: <SelectionButtons />,
        }}
        toolbar={
          <>
            <DialogLink className="btn btn--secondary" to={`${path}interlinking/`}>
              <Icon name="link" />
              Module Interlinking
            </DialogLink>
            <DialogLink className="btn btn--primary" to={`${path}new/`}>
              <ConsoleIcon name="plus" />
              CREATE MODULE
            </DialogLink>
          </>
        }
        empty={
          <Empty icon="stack" title="There are no modules yet">
            <p>A module is what learners open: a cmi5 package with a name, a picture and the groups that may see it.</p>
          </Empty>
        }
      />
    </>
  )
}

function SelectionButtons() {
  return (
    <>
      <button className="btn btn--secondary" type="submit" name="intent" value="publish">
        Publish
      </button>
      <button className="btn btn--secondary" type="submit" name="intent" value="unpublish">
        Unpublish
      </button>
      <button className="btn btn--danger-line" type="submit" name="intent" value="delete">
        <ConsoleIcon name="trash" />
        Remove
      </button>
    </>
  )
}

/** What the worker is reading can be neither published nor removed without surprises. */
function whyNotSelected({ packageStatus }: ModuleTableRow): string | null {
  const isBeingRead = packageStatus === 'uploaded' || packageStatus === 'processing'
  return isBeingRead ? 'Its package is still being processed.' : null
}

function filtersOf({ section, group, author }: Props['options']): Filter<ModuleTableRow>[] {
  return [
    {
      name: 'status',
      label: 'Status',
      options: [
        { value: 'published', label: 'Published' },
        { value: 'draft', label: 'Draft' },
        { value: 'behind', label: 'Draft of a published module' },
        { value: 'soon', label: 'Coming Soon' },
      ],
      valuesOf: ({ status, olderLive, isComingSoon }) => [
        status,
        ...(olderLive === null ? [] : ['behind']),
        ...(isComingSoon ? ['soon'] : []),
      ],
    },
    { name: 'section', label: 'Section', options: section, valuesOf: ({ sectionUid }) => [sectionUid ?? noSection] },
    {
      name: 'group',
      label: 'Group',
      options: group,
      more: `${source}?options=group`,
      valuesOf: ({ planUids }) => planUids,
    },
    {
      name: 'author',
      label: 'Author',
      options: author,
      more: `${source}?options=author`,
      valuesOf: ({ authorUid }) => (authorUid === null ? [] : [authorUid]),
    },
  ]
}

/**
 * The widths leave room for all of them, and for the menu of actions, in a window of 1280 px. Name gets most of it, and
 * a date takes two lines. The shares make Groups and Author wide enough for the usual values in a window of 1440 px.
 */
const columns: readonly Column<ModuleTableRow>[] = [
  {
    id: 'name',
    header: 'Name',
    value: ({ name }) => name,
    cell: (row) => (
      <>
        <DialogLink className="name" to={`${path}${row.uid}/`} title={row.name} discover="none">
          {row.name}
        </DialogLink>
        {row.isComingSoon && <span className="muted">Coming Soon</span>}
      </>
    ),
    isSearched: true,
    isLead: true,
    width: 176,
    grow: 1.9,
  },
  {
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
  {
    id: 'tags',
    header: 'Tags',
    value: ({ tags }) => tags.join('\n'),
    cell: ({ tags, name }) => <ValuesCell values={tags} allLabel={`all tags of ${name}`} className="tag" />,
    isSearched: true,
    width: 114,
    grow: 1.1,
    isMinor: true,
  },
  {
    id: 'courses',
    header: 'Courses',
    value: () => null,
    cell: ({ uid, name }) => (
      <DialogLink
        className="celllink"
        to={`${path}${uid}/courses/`}
        aria-label={`View the courses with ${name}`}
        discover="none"
      >
        View
      </DialogLink>
    ),
    width: 64,
    isMinor: true,
  },
  {
    id: 'plans',
    header: 'Groups with Access',
    value: ({ plans }) => plans.join(', '),
    cell: ({ plans, name }) => <ValuesCell values={plans} allLabel={`all groups with access to ${name}`} />,
    width: 90,
    grow: 1,
    isMinor: true,
  },
  {
    id: 'author',
    header: 'Author',
    value: ({ author }) => author,
    cell: ({ author }) => (author === null ? '–' : <TwoLines>{author}</TwoLines>),
    width: 82,
    grow: 1,
    isMinor: true,
  },
  {
    id: 'version',
    header: 'Version',
    value: ({ version }) => version,
    cell: ({ version }) => (version === null ? '–' : `v${version}`),
    width: 60,
    isMinor: true,
  },
  {
    id: 'updated',
    header: 'Last Updated',
    value: ({ updatedAt }) => updatedAt,
    cell: ({ updatedOn }) => updatedOn,
    width: 74,
    grow: 0.6,
  },
  {
    id: 'completions',
    header: 'Completions',
    value: ({ completions }) => completions,
    cell: ({ completions }) => completions.toLocaleString('en'),
    align: 'end',
    width: 94,
  },
  {
    id: 'score',
    header: 'Avg. score',
    value: ({ averageScore }) => averageScore,
    cell: ({ averageScore }) => formatPercent(averageScore),
    align: 'end',
    width: 54,
  },
]

/** As many lines as the row has room for, with the whole text as a tooltip. */
function TwoLines({ children }: { children: string }) {
  return (
    <span className="two" title={children}>
      {children}
    </span>
  )
}

function Actions({ row }: { row: ModuleTableRow }) {
  const { uid, name } = row
  return (
    <RowActions name={name}>
      <RowLink icon="report" word="View report" label={`View the report of ${name}`} to={`${path}${uid}/report/`} />
      <Preview row={row} />
      <RowLink icon="edit" word="Edit" label={`Edit ${name}`} to={`${path}${uid}/`} />
      <RowLink icon="trash" word="Remove" label={`Remove ${name}`} to={`${path}${uid}/delete/`} />
    </RowActions>
  )
}

function Preview({ row }: { row: ModuleTableRow }): ReactNode {
  const face = <ActionFace icon="eye" word="Preview" />
  if (row.previewUid) {
    return (
      <LaunchButton
        form="previews"
        versionUid={row.previewUid}
        intent="preview"
        className="iconbtn"
        label={`Preview ${row.name}`}
        title="Preview"
      >
        {face}
      </LaunchButton>
    )
  }
  const reason = whyNoPreview(row)
  return (
    <button
      className="iconbtn"
      type="button"
      disabled
      aria-label={`Preview ${row.name}: ${reason}`}
      title={`No preview: ${reason}`}
    >
      {face}
    </button>
  )
}

function whyNoPreview({ packageStatus, version }: ModuleTableRow): string {
  if (packageStatus === null) return 'there is no package yet'
  return packageStatus === 'error' ? `the package of v${version} has errors` : 'the package is still being processed'
}
