import { type ReactNode, useMemo } from 'react'
import { moduleStatusOptions, modulesTable, mostAtOnce, noSection } from '~/forms/module-tables.ts'
import { formatPercent } from '~/lib/percent.ts'
import type { FilterOption } from '~/lib/table-query.ts'
import { LaunchButton, LaunchList } from '../modules/launch-form.tsx'
import { Empty } from '../ui/empty.tsx'
import { Icon } from '../ui/icon.tsx'
import { BulkNotice } from './bulk/bulk-notice.tsx'
import type { BulkView } from './bulk/view.ts'
import { ConsoleIcon } from './console-icon.tsx'
import { contentColumns, peopleFilters } from './content-columns.tsx'
import { type Column, DataGrid, type Filter, type TablePage } from './grid/data-grid.tsx'
import { ActionFace, RowActions, RowLink } from './grid/row-actions.tsx'
import type { ModuleTableRow } from './modules/view.ts'
import { DialogLink } from './route-dialog.tsx'

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
        <BulkNotice
          key={notice.operation.uid}
          {...notice}
          details={`${path}selected/?operation=${notice.operation.uid}`}
          to={`${path}selected/`}
        />
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
          <Empty icon="stack" title="No Modules">
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

function filtersOf({ section, ...people }: Props['options']): Filter<ModuleTableRow>[] {
  return [
    {
      name: 'status',
      label: 'Status',
      options: moduleStatusOptions,
      valuesOf: ({ status, olderLive, isComingSoon }) => [
        status,
        ...(olderLive === null ? [] : ['behind']),
        ...(isComingSoon ? ['soon'] : []),
      ],
    },
    { name: 'section', label: 'Section', options: section, valuesOf: ({ sectionUid }) => [sectionUid ?? noSection] },
    ...peopleFilters(source, people),
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
    searched: ({ name }) => [name],
    isLead: true,
    width: 176,
    grow: 1.9,
  },
  contentColumns.status,
  contentColumns.tags,
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
  contentColumns.plans,
  contentColumns.author,
  contentColumns.version,
  contentColumns.updated,
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
