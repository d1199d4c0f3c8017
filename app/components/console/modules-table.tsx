import { Link } from '@remix-run/react'
import { formatPercent } from '~/lib/percent.ts'
import type { TableQuery } from '~/lib/table-query.ts'
import { LaunchButton, LaunchList } from '../modules/launch-form.tsx'
import { Empty } from '../ui/empty.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { DataGrid } from './data-grid.tsx'
import type { Column } from './data-grid-types.ts'
import type { ModuleTableRow } from './modules/view.ts'
import { StatusChip } from './status-chip.tsx'
import { useTableAddress } from './table-address.ts'

type Props = {
  rows: ModuleTableRow[]
  total: number
  query: TableQuery
  stamp: string
  /** Without it the rows can be looked at and tried, not changed. */
  isEditable?: boolean
}

const place = '/dashboard/modules/'

export function ModulesTable({ isEditable = true, ...list }: Props) {
  const search = useTableAddress()
  return (
    <>
      <header>
        <h1>Manage Modules</h1>
      </header>
      <LaunchList id="previews" />
      <DataGrid
        {...list}
        label="Modules"
        columns={columns}
        rowId={({ uid }) => uid}
        rowName={({ name }) => name}
        source="/dashboard/modules-rows/"
        actions={(row) => <Actions row={row} isEditable={isEditable} />}
        actionsWidth={isEditable ? 192 : 104}
        toolbar={
          isEditable && (
            <>
              <Link className="btn btn--secondary" to={`${place}interlinking/${search}`} preventScrollReset>
                <Icon name="link" />
                Module Interlinking
              </Link>
              <Link className="btn btn--primary" to={`${place}new/${search}`} preventScrollReset>
                <Icon name="plus" />
                CREATE MODULE
              </Link>
            </>
          )
        }
        empty={
          <Empty icon="stack" title="There are no modules yet">
            <p>A module is what learners open: a cmi5 package with a name, a picture and those who may see it.</p>
          </Empty>
        }
      />
    </>
  )
}

/** The first is the usual order. Ids are those of services/modules/table.server.ts. */
const columns: readonly Column<ModuleTableRow>[] = [
  {
    id: 'name',
    header: 'Name',
    value: ({ name }) => name,
    cell: (row) => (
      <>
        <span className="name" title={row.name}>
          {row.name}
        </span>
        {row.isComingSoon && <span className="muted">Coming Soon</span>}
      </>
    ),
    isSortable: true,
    isSearched: true,
    isLead: true,
    width: 164,
    grow: 1,
  },
  {
    id: 'status',
    header: 'Status',
    value: ({ status }) => status,
    cell: ({ status, isOlderLive }) => (
      <>
        <StatusChip status={status} />
        {isOlderLive && <span className="muted small">Earlier one live</span>}
      </>
    ),
    isSortable: true,
    width: 114,
  },
  {
    id: 'tags',
    header: 'Tags',
    value: ({ tags }) => tags.join('\n'),
    cell: ({ tags }) => <Tags tags={tags} />,
    isSearched: true,
    width: 104,
  },
  {
    id: 'courses',
    header: 'Courses',
    value: () => null,
    cell: (row) => <CoursesLink row={row} />,
    width: 70,
  },
  {
    id: 'plans',
    header: 'Groups with Access',
    value: ({ plans }) => plans.join(', '),
    cell: ({ plans }) => (
      <span className="two" title={plans.join(', ')}>
        {plans.join(', ')}
      </span>
    ),
    width: 92,
  },
  { id: 'author', header: 'Author', value: ({ author }) => author, isSortable: true, width: 74 },
  {
    id: 'version',
    header: 'Version',
    value: ({ version }) => version,
    cell: ({ version }) => (version === null ? '' : `v${version}`),
    isSortable: true,
    width: 66,
  },
  {
    id: 'updated',
    header: 'Last Updated',
    value: ({ updatedAt }) => updatedAt,
    cell: ({ updatedOn }) => updatedOn,
    isSortable: true,
    width: 98,
  },
  {
    id: 'completions',
    header: 'Completions',
    value: ({ completions }) => completions,
    cell: ({ completions }) => completions.toLocaleString('en'),
    isSortable: true,
    align: 'end',
    width: 98,
  },
  {
    id: 'score',
    header: 'Avg. score',
    value: ({ averageScore }) => averageScore,
    cell: ({ averageScore }) => formatPercent(averageScore),
    isSortable: true,
    align: 'end',
    width: 64,
  },
]

function Tags({ tags }: { tags: string[] }) {
  const [tag, ...more] = tags
  if (tag === undefined) return null
  return (
    <span className="tagline">
      <span className="tag" title={tag}>
        {tag}
      </span>
      {more.length > 0 && (
        <span className="muted" title={more.join(', ')}>
          +{more.length}
        </span>
      )}
    </span>
  )
}

function CoursesLink({ row }: { row: ModuleTableRow }) {
  const search = useTableAddress()
  return (
    <Link
      to={`${place}${row.uid}/courses/${search}`}
      aria-label={`View the courses with ${row.name}`}
      className="celllink"
      discover="none"
      preventScrollReset
    >
      View
    </Link>
  )
}

function Actions({ row, isEditable }: { row: ModuleTableRow; isEditable: boolean }) {
  return (
    <>
      <RowLink icon="report" label={`View the report of ${row.name}`} to={`${row.uid}/report/`} />
      {row.previewUid ? (
        <LaunchButton
          form="previews"
          versionUid={row.previewUid}
          intent="preview"
          className="iconbtn"
          label={`Preview ${row.name}`}
        >
          <Icon name="eye" />
        </LaunchButton>
      ) : (
        <button className="iconbtn" type="button" disabled aria-label={`Preview ${row.name}: there is no package yet`}>
          <Icon name="eye" />
        </button>
      )}
      {isEditable && (
        <>
          <RowLink icon="edit" label={`Edit ${row.name}`} to={`${row.uid}/`} />
          <RowLink icon="trash" label={`Remove ${row.name}`} to={`${row.uid}/delete/`} />
        </>
      )}
    </>
  )
}

function RowLink({ icon, label, to }: { icon: IconName; label: string; to: string }) {
  const search = useTableAddress()
  return (
    <Link
      className="iconbtn"
      to={`${place}${to}${search}`}
      aria-label={label}
      title={label.split(' ')[0]}
      discover="none"
      preventScrollReset
    >
      <Icon name={icon} />
    </Link>
  )
}
