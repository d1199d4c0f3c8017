import { useNavigation, useSubmit } from '@remix-run/react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { currentNavigation, shownLocation } from '~/browser/remix-internals.ts'
import { longestSearch } from '~/lib/search-query.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { Icon } from '../../ui/icon.tsx'
import { AddressForm } from './table-address.tsx'
import type { TableAddress } from './types.ts'

const pauseInTyping = 300

/** The search box. It searches when typing pauses; without JavaScript, on Enter. */
export function SearchForm({ label, ...address }: TableAddress & { label: string }) {
  const { query, table, path } = address
  const submit = useSubmit()
  const form = useRef<HTMLFormElement>(null)
  const [text, setText] = useState(query.search)
  const asked = useRef(query.search)
  // The answer to an earlier search must not overwrite what has been typed since.
  useEffect(() => {
    if (asked.current.trim() === query.search.trim()) return
    setText(query.search)
    asked.current = query.search
  }, [query.search])
  const isLeaving = leavesPage(useNavigation().location, path)
  const send = useCallback(
    (wanted: string) => {
      asked.current = wanted
      // Back undoes a search as a whole, so only its first letters and its end add an entry to the history. An entry
      // that something else added, such as a filter, is never replaced.
      const { search } = readTableQuery(new URLSearchParams(window.location.search), table)
      const replace = isSearchEntry(table.prefix) && (search === '') === (wanted.trim() === '')
      submit(form.current, {
        preventScrollReset: true,
        replace,
        state: { searchOf: table.prefix },
        // As in useTableChange.
        flushSync: true,
      })
    },
    [table, submit],
  )
  useEffect(() => {
    if (isLeaving || text === asked.current) return
    const timer = setTimeout(() => {
      // Asks the router, because React may not know yet of a link that was just pressed.
      if (leavesPage(currentNavigation().location, path)) return
      if (window.location.pathname !== path) return
      send(text)
    }, pauseInTyping)
    return () => clearTimeout(timer)
  }, [text, isLeaving, path, send])
  return (
    <AddressForm
      address={address}
      without={{ search: '' }}
      formRef={form}
      role="search"
      className="searchbox"
      onSubmit={(event) => {
        event.preventDefault()
        send(text)
      }}
    >
      <button className="iconbtn" type="submit" aria-label="Search">
        <Icon name="search" />
      </button>
      <input
        className="input"
        type="search"
        name={`${table.prefix}search`}
        aria-label={label}
        placeholder={label}
        maxLength={longestSearch}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </AddressForm>
  )
}

/** Says whether the table's search added the current entry of the history, and nothing else is about to add one. */
function isSearchEntry(prefix: string): boolean {
  const shown = shownLocation()
  return [shown, currentNavigation().location ?? shown].every(({ state }) => state?.searchOf === prefix)
}

/** Says whether the next page is another one. The search must not stop people who typed and then opened a row. */
function leavesPage(next: { pathname: string } | undefined, path: string): boolean {
  return next !== undefined && next.pathname !== path
}
