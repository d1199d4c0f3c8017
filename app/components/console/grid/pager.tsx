import { Link } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import type { TableQuery } from '~/lib/table-query.ts'
import { useHydrated } from '../../ui/form.tsx'
import { Icon } from '../../ui/icon.tsx'
import { NoPage } from '../../ui/pages.tsx'
import { AddressForm, addressOf, useTableChange } from './table-address.tsx'
import type { TableAddress } from './types.ts'

type PagerProps = {
  /** Of the rows that are shown. */
  query: TableQuery
  /** The address that is being loaded, or that of the rows. */
  latest: TableAddress
  total: number
  /** The number of rows on this page. */
  shown: number
  /** Replaces the range, such as while rows load. */
  note?: string
}

/** Shows the rows per page, the range on this page, and links to the pages. */
export function Pager({ query, latest, total, shown, note }: PagerProps) {
  const { page, size } = query
  const pages = Math.max(1, Math.ceil(total / size))
  const first = (page - 1) * size + 1
  const range = shown === 0 ? `0 of ${count(total)}` : `${count(first)}–${count(first + shown - 1)} of ${count(total)}`
  const to = (target: number) => addressOf(latest, { page: target })
  const root = usePagerFocus()
  return (
    <nav ref={root} className="tablefoot pages" aria-label="Pages">
      <SizeForm {...latest} />
      <span aria-live="polite">{note ?? range}</span>
      {pages > 7 && <GoToForm key={page} {...latest} pages={pages} />}
      <ul>
        <li>
          {page > 1 ? (
            <Step to={to(Math.min(page - 1, pages))} icon="left" label="Previous page" />
          ) : (
            <NoPage icon="left" />
          )}
        </li>
        {numbersOf(page, pages).map((number, index) => (
          <li key={number ?? `gap ${index}`} className="number">
            {number === null ? (
              <span aria-hidden="true">…</span>
            ) : (
              <Link
                className="iconbtn num"
                to={to(number)}
                aria-label={`Page ${number}`}
                aria-current={number === page ? 'page' : undefined}
                preventScrollReset
              >
                {count(number)}
              </Link>
            )}
          </li>
        ))}
        <li>{page < pages ? <Step to={to(page + 1)} icon="right" label="Next page" /> : <NoPage icon="right" />}</li>
      </ul>
    </nav>
  )
}

function count(value: number): string {
  return value.toLocaleString('en')
}

/** Returns the first page, the last, and those around the current page; null marks a gap. */
export function numbersOf(page: number, pages: number): (number | null)[] {
  if (pages <= 7) return Array.from({ length: pages }, (_, index) => index + 1)
  const start = Math.min(Math.max(page - 1, 2), pages - 4)
  const middle =
    page <= 3 ? [2, 3, 4] : page >= pages - 2 ? [pages - 3, pages - 2, pages - 1] : [start, start + 1, start + 2]
  const [from = 2, , until = 4] = middle
  return [1, ...(from > 2 ? [null] : []), ...middle, ...(until < pages - 1 ? [null] : []), pages]
}

function Step({ to, icon, label }: { to: string; icon: 'left' | 'right'; label: string }) {
  return (
    <Link className="iconbtn" to={to} aria-label={label} preventScrollReset>
      <Icon name={icon} />
    </Link>
  )
}

function GoToForm({ pages, ...address }: TableAddress & { pages: number }) {
  return (
    <AddressForm address={address} without={{ page: 1 }} className="goto">
      <label>
        Go to page
        <input
          className="input num"
          type="number"
          name={`${address.table.prefix}page`}
          min={1}
          max={pages}
          required
          placeholder={String(address.query.page)}
        />
      </label>
      <button className="btn btn--quiet" type="submit">
        Go
      </button>
    </AddressForm>
  )
}

/** Chooses the rows per page. With JavaScript the choice applies immediately. */
function SizeForm(address: TableAddress) {
  const { table, query } = address
  const change = useTableChange(address)
  const isHydrated = useHydrated()
  return (
    <AddressForm address={address} without={{ size: table.sizes[0] }} className="sizes">
      <label>
        Rows per page
        <select
          className="input"
          name={`${table.prefix}size`}
          value={query.size}
          onChange={(event) => change({ size: Number(event.currentTarget.value) })}
        >
          {table.sizes.map((size) => (
            <option key={size} value={size}>
              {size}
            </option>
          ))}
        </select>
      </label>
      {!isHydrated && (
        <button className="btn btn--quiet" type="submit">
          Show
        </button>
      )}
    </AddressForm>
  )
}

/** Keeps the focus in the pager: when "Next" disappears on the last page, "Previous" takes it, and the reverse. */
function usePagerFocus() {
  const root = useRef<HTMLElement>(null)
  const wasInside = useRef(false)
  useEffect(() => {
    const note = ({ target }: FocusEvent) => {
      wasInside.current = root.current?.querySelector('ul')?.contains(target as Node) ?? false
    }
    document.addEventListener('focusin', note)
    return () => document.removeEventListener('focusin', note)
  }, [])
  useEffect(() => {
    const isLost = document.activeElement === document.body || document.activeElement === null
    if (wasInside.current && isLost) root.current?.querySelector<HTMLElement>('li a')?.focus()
  })
  return root
}
