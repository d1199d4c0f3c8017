import { Form } from '@remix-run/react'
import { useId, useState } from 'react'
import { notify } from '~/browser/notices.ts'
import { withOrWithout } from '~/lib/sets.ts'
import { type TableDefinition, tableSearch } from '~/lib/table-query.ts'
import { useShell } from '../../layout/shell.ts'
import { CsrfField, useHydrated } from '../../ui/form.tsx'
import type { DataGridProps, Selection, TableAddress } from './types.ts'

/** Two tables of one page have two forms. */
function formIdOf({ prefix }: TableDefinition): string {
  return `${prefix}selection`
}

type RowBoxProps<Row> = { table: TableDefinition; id: string; name: string; row: Row; selection: Selection<Row> }

/** The checkbox of a row. It is disabled if the row cannot be selected, or if the maximum is reached. */
export function RowBox<Row>({ table, id, name, row, selection }: RowBoxProps<Row>) {
  const { selected, onChange, whyNot, max } = selection
  const isHydrated = useHydrated()
  const isChecked = selected.has(id)
  const isFull = selected.size >= max && !isChecked
  const reason = whyNot?.(row) ?? (isFull ? `You can select at most ${max.toLocaleString('en')}.` : null)
  return (
    <label className="tick tick--alone" title={reason ?? undefined}>
      <input
        type="checkbox"
        // With JavaScript, a hidden field of the form holds the selection, which can include rows of other pages.
        name={isHydrated ? undefined : 'uid'}
        form={formIdOf(table)}
        value={id}
        aria-label={reason ? `Select ${name}: ${reason}` : `Select ${name}`}
        checked={isChecked}
        disabled={reason !== null}
        onChange={(event) => onChange(withOrWithout(selected, id, event.currentTarget.checked))}
      />
    </label>
  )
}

type PageProps<Row> = Pick<DataGridProps<Row>, 'rowId'> & { rows: Row[]; selection: Selection<Row> }

/** The checkbox that selects or clears all selectable rows of this page. */
export function PageBox<Row>({ rows, rowId, selection }: PageProps<Row>) {
  const { selected, onChange, whyNot, max } = selection
  const ids = rows.filter((row) => !whyNot?.(row)).map(rowId)
  const chosen = ids.filter((id) => selected.has(id))
  const isAll = chosen.length > 0 && chosen.length === ids.length
  return (
    <label className="tick tick--alone">
      <input
        type="checkbox"
        aria-label="Select all rows of this page"
        ref={(box) => {
          if (box) box.indeterminate = chosen.length > 0 && !isAll
        }}
        checked={isAll}
        disabled={ids.length === 0}
        onChange={() =>
          onChange(
            isAll
              ? new Set([...selected].filter((id) => !ids.includes(id)))
              : new Set([...new Set([...selected, ...ids])].slice(0, max)),
          )
        }
      />
    </label>
  )
}

type BarProps<Row> = Pick<DataGridProps<Row>, 'source' | 'rowId' | 'rowName'> &
  TableAddress & {
    selection: Selection<Row>
    rows: Row[]
    /** All rows that were found, if the browser has them. */
    found: Row[] | null
    total: number
  }

/**
 * Shows the selection and its actions. Without JavaScript the bar is always below the table, for the ticked rows of the
 * page.
 */
export function SelectionBar<Row>({ selection, rows, found, total, source, rowId, search, table }: BarProps<Row>) {
  const { selected, onChange, whyNot, max } = selection
  const { csrf } = useShell()
  const isHydrated = useHydrated()
  const [isBusy, setBusy] = useState(false)
  const hint = useId()
  if (isHydrated && selected.size === 0) return null
  const hidden = selected.size - rows.filter((row) => selected.has(rowId(row))).length
  const selectFound = async () => {
    setBusy(true)
    const query = tableSearch(search, table.prefix).replace('?', '&')
    const uids = found ? found.filter((row) => !whyNot?.(row)).map(rowId) : await fetchUids(`${source}?uids=1${query}`)
    onChange(new Set([...new Set([...selected, ...uids])].slice(0, max)))
    setBusy(false)
  }
  const isMore = total > rows.length && selected.size < Math.min(total, max)
  return (
    <section className="selectionbar" aria-label="Selection">
      {isHydrated ? (
        <p role="status">
          <strong>{selected.size.toLocaleString('en')} selected</strong>
          {selected.size >= max && <span className="muted"> · the maximum</span>}
          {hidden > 0 && <span className="muted"> · {hidden.toLocaleString('en')} not on this page</span>}
        </p>
      ) : (
        <p id={hint}>For the checked rows:</p>
      )}
      {isHydrated && (
        <>
          {isMore && (
            <button className="btn btn--quiet" type="button" disabled={isBusy} onClick={selectFound}>
              {total > max
                ? `Select the first ${max.toLocaleString('en')}`
                : `Select all ${total.toLocaleString('en')}`}
            </button>
          )}
          <button className="btn btn--quiet" type="button" onClick={() => onChange(new Set())}>
            Clear
          </button>
        </>
      )}
      <Form
        id={formIdOf(table)}
        method="post"
        action={selection.action + tableSearch(search)}
        className="end"
        navigate={!selection.isInPlace}
        preventScrollReset
      >
        <CsrfField token={csrf} />
        {isHydrated && <input type="hidden" name="uid" value={[...selected].join(' ')} />}
        {selection.actions}
        {selection.found && total > Math.max(selected.size, 1) && (
          <button className="btn btn--quiet" type="submit" name="found" value="1">
            {selection.found.label(
              total > selection.found.most
                ? `the first ${selection.found.most.toLocaleString('en')} found`
                : `all ${total.toLocaleString('en')} found`,
            )}
          </button>
        )}
      </Form>
    </section>
  )
}

async function fetchUids(address: string): Promise<string[]> {
  try {
    const response = await fetch(address, { headers: { Accept: 'application/json' } })
    if (response.ok) return (await response.json()) as string[]
  } catch (error) {
    console.warn(error)
  }
  notify({ kind: 'error', text: 'The rows could not be selected. Please try again.' })
  return []
}
