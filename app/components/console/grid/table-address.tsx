import { Form, useNavigate } from '@remix-run/react'
import type { FormEvent, ReactNode, RefObject } from 'react'
import { type TableQuery, writeTableQuery } from '~/lib/table-query.ts'
import type { TableAddress } from './types.ts'

/** Returns the page's address with a changed query of the table. */
export function addressOf({ path, search, table }: TableAddress, change: Partial<TableQuery>): string {
  return path + writeTableQuery(search, table, change)
}

/**
 * Returns a function that opens the page's address with a changed query. `flushSync` renders the new address before the
 * next change is computed, so that a quick second change does not undo the first.
 */
export function useTableChange(address: TableAddress): (change: Partial<TableQuery>) => void {
  const navigate = useNavigate()
  return (change) => navigate(addressOf(address, { page: 1, ...change }), { preventScrollReset: true, flushSync: true })
}

/** A form whose fields are part of the table's address. Hidden fields keep the rest of the address. */
export function AddressForm({ address, without, onSubmit, className, role, children, formRef }: AddressFormProps) {
  const others = new URLSearchParams(writeTableQuery(address.search, address.table, { page: 1, ...without }))
  return (
    <Form
      ref={formRef}
      method="get"
      action={address.path}
      className={className}
      role={role}
      preventScrollReset
      onSubmit={onSubmit}
    >
      {[...others].map(([name, value]) => (
        <input key={name + value} type="hidden" name={name} value={value} />
      ))}
      {children}
    </Form>
  )
}

type AddressFormProps = {
  address: TableAddress
  /** The parts of the query that the form's own fields set. */
  without: Partial<TableQuery>
  onSubmit?: (event: FormEvent) => void
  className?: string
  role?: 'search'
  formRef?: RefObject<HTMLFormElement>
  children: ReactNode
}
