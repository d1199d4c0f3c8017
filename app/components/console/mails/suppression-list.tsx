import { Link, useLocation } from '@remix-run/react'
import { suppressionsTable } from '~/forms/mails.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { Empty } from '../../ui/empty.tsx'
import { Pages } from '../../ui/pages.tsx'
import { ConsoleIcon } from '../console-icon.tsx'
import { SearchForm } from '../grid/search-form.tsx'
import { addressOf } from '../grid/table-address.tsx'
import type { TableAddress } from '../grid/types.ts'
import { RecordTable } from '../modules/record-table.tsx'
import { DialogLink } from '../route-dialog.tsx'
import type { SuppressionsView } from './view.ts'

const path = '/dashboard/suppressed/'

/** The addresses that get no mail. */
export function SuppressionList({ rows, total, page, size }: SuppressionsView) {
  const { search } = useLocation()
  const query = readTableQuery(new URLSearchParams(search), suppressionsTable)
  const address: TableAddress = { table: suppressionsTable, path, search, query }
  return (
    <>
      <h1>Suppressed Addresses</h1>
      <p className="muted mb-4">
        These addresses get no mail, because mail to them was refused or came back, or because somebody said so. After a
        complaint, mails about the account are still sent.
      </p>
      <div className="flex flex-wrap items-center gap-3 mb-4">
        <SearchForm label="Search addresses" {...address} />
        <span className="ml-auto">
          <DialogLink className="btn btn--secondary" to={`${path}new/`}>
            <ConsoleIcon name="plus" />
            Add address
          </DialogLink>
        </span>
      </div>
      {rows.length === 0 ? (
        <Empty icon="check" title={query.search ? 'No addresses found' : 'No suppressed addresses'}>
          {query.search && (
            <Link className="btn btn--secondary" to={path}>
              Show all addresses
            </Link>
          )}
        </Empty>
      ) : (
        <>
          <RecordTable
            label="Suppressed addresses"
            heads={['Address', 'Why', 'What the server said', 'Since']}
            hasActions
            rows={rows.map((row) => ({
              id: row.uid,
              cells: [row.address, row.reason, row.words || '–', row.since],
              actions: (
                <DialogLink
                  className="btn btn--quiet"
                  to={`${path}${row.uid}/release/`}
                  aria-label={`Release ${row.address}`}
                  discover="none"
                >
                  Release
                </DialogLink>
              ),
            }))}
          />
          <Pages {...{ page, size, total }} to={(to) => addressOf(address, { page: to })} />
        </>
      )}
    </>
  )
}
