import { Link, useLocation } from '@remix-run/react'
import { useMemo, useState } from 'react'
import { moduleLearnersTable } from '~/forms/module-tables.ts'
import { csvFileName } from '~/lib/csv.ts'
import { failingDays } from '~/lib/failed-test.ts'
import { formatPercent } from '~/lib/percent.ts'
import type { FilterOption } from '~/lib/table-query.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { Empty } from '../../ui/empty.tsx'
import { CsvLink } from '../csv-link.tsx'
import { type Column, DataGrid, type Filter, type TablePage } from '../grid/data-grid.tsx'
import { learnerCsvRow, learnersCsvHead } from './report-csv.ts'
import type { ModuleLearnerRow } from './view.ts'

type Props = {
  module: { uid: string; name: string }
  page: TablePage<ModuleLearnerRow>
  options: { group: FilterOption[] }
  timeZone: string
}

/** Who has opened the module and what came of it. A name leads to what that person did in it. */
export function ReportLearners({ module, page, options, timeZone }: Props) {
  const path = `/dashboard/modules/${module.uid}/`
  const columns = useMemo(() => columnsOf(path), [path])
  const filters = useMemo(() => filtersOf(options.group), [options.group])
  const [found, setFound] = useState<ModuleLearnerRow[] | null>(null)
  const { search } = useLocation()
  return (
    <DataGrid
      table={moduleLearnersTable}
      label="Learners"
      path={`${path}report/learners/`}
      source={`${path}learners-rows/`}
      page={page}
      columns={columns}
      filters={filters}
      rowId={({ uid }) => uid}
      rowName={({ name }) => name}
      searchLabel="Search name or email"
      onFound={setFound}
      toolbar={
        page.listed > 0 && (
          <CsvLink
            href={`${path}export/learners/${tableSearch(search, moduleLearnersTable.prefix)}`}
            fileName={csvFileName('ModuleLearners', module.name)}
            label="Export CSV"
            rows={found && (() => [learnersCsvHead(timeZone), ...found.map(learnerCsvRow)])}
          />
        )
      }
      empty={
        <Empty icon="person" title="Nobody has opened this module yet">
          <p>Learners are listed here as soon as they open it, with their progress and their best score.</p>
        </Empty>
      }
    />
  )
}

function filtersOf(group: FilterOption[]): Filter<ModuleLearnerRow>[] {
  return [
    {
      name: 'state',
      label: 'Progress',
      options: [
        { value: 'progress', label: 'In progress' },
        { value: 'completed', label: 'Completed' },
        { value: 'open', label: 'Open right now' },
        { value: 'failing', label: `Failing in the last ${failingDays} days` },
      ],
      valuesOf: ({ completedAt, isOpen, isFailing }) => [
        completedAt === null ? 'progress' : 'completed',
        ...(isOpen ? ['open'] : []),
        ...(isFailing ? ['failing'] : []),
      ],
    },
    {
      name: 'group',
      label: 'Group',
      options: group,
      valuesOf: ({ planUid }) => (planUid === null ? [] : [planUid]),
    },
  ]
}

/** Takes the places of both tables along, so that the way back leads there. */
function LearnerLink({ to, name }: { to: string; name: string }) {
  return (
    <Link className="celllink" to={to + tableSearch(useLocation().search)} discover="none">
      <span className="name" title={name}>
        {name}
      </span>
    </Link>
  )
}

function columnsOf(path: string): readonly Column<ModuleLearnerRow>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      value: ({ name }) => name,
      cell: ({ uid, name }) => <LearnerLink to={`${path}learners/${uid}/`} name={name} />,
      searched: ({ name, email }) => [`${name} ${email}`],
      isLead: true,
      width: 180,
      grow: 3,
    },
    {
      id: 'email',
      header: 'Email',
      value: ({ email }) => email,
      cell: ({ email }) => (
        <span className="cut" title={email}>
          {email}
        </span>
      ),
      width: 216,
      grow: 3,
    },
    {
      id: 'started',
      header: 'Started',
      value: ({ startedAt }) => startedAt,
      cell: ({ startedOn }) => <span className="nowrap">{startedOn}</span>,
      width: 112,
    },
    {
      id: 'completed',
      header: 'Completed',
      value: ({ completedAt }) => completedAt,
      cell: ({ completedOn }) => <span className="nowrap">{completedOn ?? '–'}</span>,
      width: 116,
    },
    {
      id: 'progress',
      header: 'Progress',
      value: ({ percent }) => percent,
      cell: ({ percent, isOpen }) => (
        <>
          {formatPercent(percent)}
          {isOpen && <span className="muted small chipnote">Open now</span>}
        </>
      ),
      align: 'end',
      width: 104,
    },
    {
      id: 'score',
      header: 'Score',
      value: ({ score }) => score,
      cell: ({ score }) => formatPercent(score),
      align: 'end',
      width: 88,
    },
  ]
}
