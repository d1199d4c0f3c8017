import { Form, Link, useLocation, useNavigation, useSubmit } from '@remix-run/react'
import {
  type ComponentProps,
  type MutableRefObject,
  type ReactNode,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { currentNavigation } from '~/browser/remix-internals.ts'
import { longestSearch, type TableQuery, tableSizes, writeTableQuery } from '~/lib/table-query.ts'
import { useHydrated } from '../ui/form.tsx'
import { Icon } from '../ui/icon.tsx'
import { NoPage, PageLink } from '../ui/pages.tsx'
import type { DataGridProps } from './data-grid-types.ts'
import { DataTable } from './data-table.tsx'
import { showTableAddress } from './table-address.ts'
import { useAllRows } from './use-all-rows.ts'

/**
 * A section's table. The server sends a page of it, searched, sorted and walked by links; phones keep that. Wide screens get all rows
 * in AG Grid as soon as both are there, and nothing jumps: bar, head, rows and foot have the same heights in both.
 */
export function DataGrid<Row>(props: DataGridProps<Row>) {
  const { query, total, empty, toolbar, columns, searchLabel } = props
  const usual = columns[0]?.id ?? ''
  const isWide = useWide()
  const all = useAllRows(props, isWide)
  const LiveGrid = useLiveGrid(isWide)
  const isLive = LiveGrid !== null && all.rows !== null
  const [search, setSearch] = useState(query.search)
  const asked = useRef(query.search)
  // An answer to what was typed before must not take back what was typed since.
  useEffect(() => {
    if (asked.current.trim() === query.search.trim()) return
    setSearch(query.search)
    asked.current = query.search
  }, [query.search])
  const [size, setSize] = useState(query.size)
  const isEmpty = isLive ? all.rows?.length === 0 : total === 0 && query.search === ''
  return (
    <>
      <div className="toolbar">
        {!isEmpty && (
          <SearchForm
            {...{ query, usual, search, isLive }}
            label={searchLabel ?? usualLabel}
            asked={asked}
            onSearch={setSearch}
          />
        )}
        {toolbar && <div className="end">{toolbar}</div>}
      </div>
      {isEmpty ? (
        empty
      ) : (
        <div className="tablebox">
          {LiveGrid && all.rows ? (
            <LiveGrid
              {...props}
              all={all.rows}
              onShown={all.loaded === null ? props.onShown : undefined}
              search={search}
              size={size}
              onQuery={(shown) => showTableAddress(writeTableQuery(query, shown, usual))}
              nothing={<NothingFound search={search} onClear={() => setSearch('')} />}
            >
              {({ range, page, pages, goTo }) => (
                <Foot
                  range={all.loaded === null ? range : `Loading ${all.loaded} of ${total}`}
                  size={<SizeBox size={size} onChange={setSize} />}
                  previous={page > 0 && <PageButton icon="left" label="Previous page" onClick={() => goTo(page - 1)} />}
                  next={
                    page + 1 < pages && <PageButton icon="right" label="Next page" onClick={() => goTo(page + 1)} />
                  }
                />
              )}
            </LiveGrid>
          ) : (
            <PlainPage {...props} usual={usual} />
          )}
        </div>
      )}
    </>
  )
}

function PlainPage<Row>(props: DataGridProps<Row> & { usual: string }) {
  const { query, total, rows, usual } = props
  const to = (page: number) => writeTableQuery(query, { page }, usual)
  const first = (query.page - 1) * query.size + 1
  const last = first + rows.length - 1
  return (
    <>
      {rows.length > 0 ? <DataTable {...props} /> : <NothingFound search={total === 0 ? query.search : ''} />}
      <Foot
        range={rows.length > 0 ? `${first}–${last} of ${total}` : `0 of ${total}`}
        size={<SizeForm query={query} usual={usual} />}
        previous={query.page > 1 && <PageLink to={to(query.page - 1)} label="Previous page" icon="left" />}
        next={rows.length > 0 && last < total && <PageLink to={to(query.page + 1)} label="Next page" icon="right" />}
      />
    </>
  )
}

const usualLabel = 'Search topic or name'

type SearchProps = {
  query: TableQuery
  usual: string
  label: string
  search: string
  isLive: boolean
  asked: MutableRefObject<string>
  onSearch: (text: string) => void
}

const pauseInTyping = 300

/** A form that asks the server, with JavaScript as soon as typing pauses; over a live grid each key stroke finds. */
function SearchForm({ query, usual, label, search, isLive, asked, onSearch }: SearchProps) {
  const submit = useSubmit()
  const form = useRef<HTMLFormElement>(null)
  const { pathname } = useLocation()
  const isLeaving = leavesFor(useNavigation().location, pathname)
  useEffect(() => {
    if (isLive || isLeaving || search === asked.current) return
    const timer = setTimeout(() => {
      // A link may have been pressed a moment ago, and React not have come to say so.
      if (leavesFor(currentNavigation().location, pathname)) return
      asked.current = search
      submit(form.current, { preventScrollReset: true, replace: true })
    }, pauseInTyping)
    return () => clearTimeout(timer)
  }, [search, isLive, isLeaving, pathname, asked, submit])
  const others = new URLSearchParams(writeTableQuery(query, { search: '', page: 1 }, usual))
  return (
    <Form
      ref={form}
      method="get"
      role="search"
      className="searchbox"
      preventScrollReset
      onSubmit={(event) => {
        if (isLive) event.preventDefault()
        asked.current = search
      }}
    >
      <button className="iconbtn" type="submit" aria-label="Search">
        <Icon name="search" />
      </button>
      <input
        className="input"
        type="search"
        name="search"
        aria-label={label}
        placeholder={label}
        maxLength={longestSearch}
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
      />
      <Hidden params={others} />
    </Form>
  )
}

/** Whoever typed and then opened a row is not to be held back by the search. */
function leavesFor(next: { pathname: string } | undefined, pathname: string): boolean {
  return next !== undefined && next.pathname !== pathname
}

function Hidden({ params }: { params: URLSearchParams }) {
  return [...params].map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)
}

function NothingFound({ search, onClear }: { search: string; onClear?: () => void }) {
  return (
    <div className="nothing" role="status">
      <h2>{search ? `Nothing found for “${search}”` : 'There is nothing on this page'}</h2>
      <p>{search ? 'Try another word, or a part of one.' : 'The list is shorter than that.'}</p>
      {onClear ? (
        <button className="btn btn--secondary" type="button" onClick={onClear}>
          Clear the search
        </button>
      ) : (
        <Link className="btn btn--secondary" to="?">
          {search ? 'Clear the search' : 'Go to the first page'}
        </Link>
      )}
    </div>
  )
}

type FootProps = { range: string; size: ReactNode; previous: ReactNode; next: ReactNode }

function Foot({ range, size, previous, next }: FootProps) {
  const root = usePagerFocus()
  return (
    <nav ref={root} className="tablefoot pages" aria-label="Pages">
      {size}
      <span>{range}</span>
      <ul>
        <li>{previous || <NoPage icon="left" />}</li>
        <li>{next || <NoPage icon="right" />}</li>
      </ul>
    </nav>
  )
}

/** The last page has no way on: whoever pressed it finds the way back under the focus, and the other way round. */
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
    if (wasInside.current && isLost) root.current?.querySelector<HTMLElement>('li button, li a')?.focus()
  })
  return root
}

type PageButtonProps = { icon: 'left' | 'right'; label: string; onClick: () => void }

function PageButton({ icon, label, onClick }: PageButtonProps) {
  return (
    <button className="iconbtn" type="button" aria-label={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  )
}

function SizeForm({ query, usual }: { query: TableQuery; usual: string }) {
  const submit = useSubmit()
  const isHydrated = useHydrated()
  const others = new URLSearchParams(writeTableQuery(query, { page: 1, size: tableSizes[0] }, usual))
  return (
    <Form method="get" className="sizes" preventScrollReset>
      <Hidden params={others} />
      <SizeSelect
        defaultValue={query.size}
        onChange={(event) => submit(event.currentTarget.form, { preventScrollReset: true })}
      />
      {!isHydrated && (
        <button className="btn btn--quiet" type="submit">
          Show
        </button>
      )}
    </Form>
  )
}

function SizeBox({ size, onChange }: { size: number; onChange: (size: number) => void }) {
  return (
    <div className="sizes">
      <SizeSelect value={size} onChange={(event) => onChange(Number(event.currentTarget.value))} />
    </div>
  )
}

function SizeSelect(props: ComponentProps<'select'>) {
  return (
    <label>
      Rows per page
      <select className="input" name="size" {...props}>
        {tableSizes.map((size) => (
          <option key={size} value={size}>
            {size}
          </option>
        ))}
      </select>
    </label>
  )
}

type LiveGridComponent = typeof import('./live-grid.tsx').LiveGrid

/** AG Grid is fetched only where it is shown. Null until it is there, and for good where it cannot be had. */
function useLiveGrid(isWanted: boolean): LiveGridComponent | null {
  const [component, setComponent] = useState<LiveGridComponent | null>(null)
  useEffect(() => {
    if (!isWanted) return
    import('./live-grid.tsx').then(
      (loaded) => loaded && setComponent(() => loaded.LiveGrid),
      () => {},
    )
  }, [isWanted])
  return isWanted ? component : null
}

const wide = '(min-width: 48em)'

function useWide(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const media = window.matchMedia(wide)
      media.addEventListener('change', onChange)
      return () => media.removeEventListener('change', onChange)
    },
    () => window.matchMedia(wide).matches,
    () => false,
  )
}
