import { Link } from '@remix-run/react'
import { useMemo, useState } from 'react'
import { csvFileName } from '~/lib/csv.ts'
import { formatPercent } from '~/lib/percent.ts'
import { type TableQuery, tablesSearch } from '~/lib/table-query.ts'
import { Empty } from '../../ui/empty.tsx'
import { CsvLink } from '../csv-link.tsx'
import { DataGrid } from '../data-grid.tsx'
import type { Column } from '../data-grid-types.ts'
import { useTableAddress } from '../table-address.ts'
import { learnerCsvRow, learnersCsvHead } from './report-csv.ts'
import type { ModuleLearnerRow } from './view.ts'

type Props = {
  module: { uid: string; name: string }
  rows: ModuleLearnerRow[]
  total: number
  query: TableQuery
  timeZone: string
  stamp: string
}

/** Who has opened the module and what came of it; a name leads to what that person did. Nothing here changes anything. */
export function ReportLearners({ module, timeZone, ...list }: Props) {
  const place = `/dashboard/modules/${module.uid}/`
  const columns = useMemo(() => columnsOf(place), [place])
  const [shown, setShown] = useState<ModuleLearnerRow[] | null>(null)
  const isEmpty = list.total === 0 && list.query.search === ''
  const search = list.query.search === '' ? '' : `?${new URLSearchParams({ search: list.query.search })}`
  return (
    <DataGrid
      {...list}
      label="Learners"
      columns={columns}
      rowId={({ uid }) => uid}
      rowName={({ name }) => name}
      source={`${place}learners-rows/`}
      searchLabel="Search name or e-mail"
      onShown={setShown}
      toolbar={
        !isEmpty && (
          <CsvLink
            href={`${place}export/learners/${search}`}
            fileName={csvFileName('ModuleLearners', module.name)}
            label="EXPORT CSV"
            rows={shown && (() => [learnersCsvHead(timeZone), ...shown.map(learnerCsvRow)])}
          />
        )
      }
      empty={
        <Empty icon="people" title="Nobody has opened this module yet">
          <p>Learners are listed here as soon as they open it, with how far they have come and their best score.</p>
        </Empty>
      }
    />
  )
}

/** Takes along where the list stands, so that the way back leads there. */
function LearnerLink({ to, name }: { to: string; name: string }) {
  const list = tablesSearch(useTableAddress())
  return (
    <Link className="celllink" to={list ? `${to}?${new URLSearchParams({ list })}` : to} discover="none">
      <span className="name" title={name}>
        {name}
      </span>
    </Link>
  )
}

/** Ids are those of services/progress/learners.server.ts; the first is the usual order. */
function columnsOf(place: string): readonly Column<ModuleLearnerRow>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      value: ({ name }) => name,
      cell: ({ uid, name }) => <LearnerLink to={`${place}learners/${uid}/`} name={name} />,
      isSortable: true,
      isSearched: true,
      isLead: true,
      width: 180,
      grow: 3,
    },
    {
      id: 'email',
      header: 'E-mail',
      value: ({ email }) => email,
      cell: ({ email }) => (
        <span className="two" title={email}>
          {email}
        </span>
      ),
      isSortable: true,
      isSearched: true,
      width: 180,
      grow: 3,
    },
    {
      id: 'started',
      header: 'Started',
      value: ({ startedAt }) => startedAt,
      cell: ({ startedOn }) => startedOn,
      isSortable: true,
      width: 112,
    },
    {
      id: 'completed',
      header: 'Completed',
      value: ({ completedAt }) => completedAt,
      cell: ({ completedOn }) => completedOn ?? '–',
      isSortable: true,
      width: 120,
    },
    {
      id: 'progress',
      header: 'Progress',
      value: ({ percent }) => percent,
      cell: ({ percent }) => formatPercent(percent),
      isSortable: true,
      align: 'end',
      width: 104,
    },
    {
      id: 'score',
      header: 'Score',
      value: ({ score }) => score,
      cell: ({ score }) => formatPercent(score),
      isSortable: true,
      align: 'end',
      width: 88,
    },
  ]
}
