import { Form, useLocation } from '@remix-run/react'
import { mostRestored, trashKindLabels, trashTable } from '~/forms/trash.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { useShell } from '../../layout/shell.ts'
import { Empty } from '../../ui/empty.tsx'
import { CsrfField } from '../../ui/form.tsx'
import { type Column, DataGrid, type Filter, type TablePage } from '../grid/data-grid.tsx'
import { ActionFace, RowActions, RowLink } from '../grid/row-actions.tsx'
import type { TrashRow } from './view.ts'

type Props = {
  page: TablePage<TrashRow>
  /** The kinds that the person may bring back. */
  kinds: (keyof typeof trashKindLabels)[]
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
}

const path = '/dashboard/trash/'
const restorePath = `${path}restore/`
const formId = 'restore-one'

/** What was removed in the last thirty days. */
export function TrashTable({ page, kinds, selected, onSelect }: Props) {
  return (
    <>
      <header>
        <h1>Trash</h1>
        <p className="muted">What was removed in the last thirty days can be restored with everybody’s progress.</p>
      </header>
      <RestoreForm />
      <DataGrid
        table={trashTable}
        label="Trash"
        path={path}
        source="/dashboard/trash-rows/"
        page={page}
        columns={columns}
        filters={filtersOf(kinds)}
        rowId={({ key }) => key}
        rowName={({ name }) => name}
        actions={(row) => <Actions row={row} />}
        // As wide as two buttons with words.
        actionCount={6}
        searchLabel="Search name"
        selection={{
          selected,
          onChange: onSelect,
          max: mostRestored,
          action: restorePath,
          actions: (
            <button className="btn btn--secondary" type="submit">
              Restore
            </button>
          ),
        }}
        empty={
          <Empty icon="check" title="The trash is empty">
            <p>What you remove stays here for thirty days, so that you can restore it.</p>
          </Empty>
        }
      />
    </>
  )
}

/** One form for the buttons of all rows. A form in each row would make the page much larger. */
function RestoreForm() {
  const { csrf } = useShell()
  const { search } = useLocation()
  return (
    <Form id={formId} method="post" action={restorePath + tableSearch(search)} preventScrollReset>
      <CsrfField token={csrf} />
    </Form>
  )
}

function Actions({ row: { key, name, history } }: { row: TrashRow }) {
  return (
    <RowActions name={name} hasWords>
      <button
        className="iconbtn"
        type="submit"
        form={formId}
        name="uid"
        value={key}
        aria-label={`Restore ${name}`}
        title="Restore"
      >
        <ActionFace icon="undo" word="Restore" />
      </button>
      {history && <RowLink icon="clock" word="History" label={`History of ${name}`} to={history} />}
    </RowActions>
  )
}

function filtersOf(kinds: Props['kinds']): Filter<TrashRow>[] {
  return [
    {
      name: 'kind',
      label: 'Kind',
      options: kinds.map((value) => ({ value, label: trashKindLabels[value] })),
      valuesOf: ({ kindValue }) => [kindValue],
    },
  ]
}

const columns: readonly Column<TrashRow>[] = [
  {
    id: 'name',
    header: 'Name',
    value: ({ name }) => name,
    cell: ({ name, note }) => (
      <>
        <span className="name" title={name}>
          {name}
        </span>
        {note && <span className="muted small">{note}</span>}
      </>
    ),
    searched: ({ name }) => [name],
    isLead: true,
    width: 240,
    grow: 2,
  },
  { id: 'kind', header: 'Kind', value: ({ kind }) => kind, width: 120 },
  { id: 'by', header: 'Removed by', value: ({ deletedBy }) => deletedBy, width: 140, grow: 1 },
  {
    id: 'deleted',
    header: 'Removed',
    value: ({ deletedAt }) => deletedAt,
    cell: ({ deletedOn }) => deletedOn,
    width: 170,
  },
  {
    id: 'until',
    header: 'Can be restored until',
    value: ({ deletedAt }) => deletedAt,
    cell: ({ until }) => until,
    width: 150,
    isMinor: true,
  },
]
