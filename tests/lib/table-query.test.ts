import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { revalidatesLayout } from '~/browser/layout-revalidation.ts'
import { parseChoice } from '~/components/console/grid/column-choice.ts'
import type { Column, Filter } from '~/components/console/grid/data-grid.tsx'
import { RowBox } from '~/components/console/grid/grid-selection.tsx'
import { findRows, mergeRows, pageOf, refreshRows, sortRows } from '~/components/console/grid/live-rows.ts'
import { numbersOf } from '~/components/console/grid/pager.tsx'
import { markLive, revalidatesAfterPosts, revalidatesTable } from '~/components/console/grid/revalidation.ts'
import { attemptSearch } from '~/components/console/modules/attempt-address.ts'
import { readTableQuery, type TableDefinition, tableSearch, unreadParts, writeTableQuery } from '~/lib/table-query.ts'

const table: TableDefinition = {
  prefix: '',
  sorts: ['name', 'updated'],
  descendingFirst: ['updated'],
  sizes: [10, 20],
  filters: ['status', 'group'],
}
const people: TableDefinition = { ...table, prefix: 'people.' }
const read = (search: string, of = table) => readTableQuery(new URLSearchParams(search), of)
const usual = { search: '', sort: 'name', isDescending: false, page: 1, size: 10, filters: {}, columns: [] }

test('an address that makes no sense shows the default table', () => {
  for (const address of [
    '',
    '?sort=evil&page=-1&size=1000',
    '?page=1e9',
    '?page=0x10',
    '?page=x&size=x',
    '?sort=-',
    '?filter=status&filter=-x&filter=evil-x&filter=status-',
    '?people.page=3',
  ]) {
    expect(read(address), address).toEqual(usual)
  }
  expect(read(`?search=${'x'.repeat(150)}`).search).toHaveLength(100)
  expect(read('?search=%20a%20&sort=-updated&page=3&size=20&filter=status-a&filter=group-x-y&filter=status-b')).toEqual(
    {
      search: 'a',
      sort: 'updated',
      isDescending: true,
      page: 3,
      size: 20,
      filters: { status: ['a', 'b'], group: ['x-y'] },
      columns: [],
    },
  )
})

test('what an address says and nobody reads is told, so that nothing acts on more than it finds', () => {
  const unread = (search: string, of = table) => unreadParts(new URLSearchParams(search), of)
  expect(
    unread('?search=a&filter=status-a&filter=status-a&filter=group-x-y&sort=evil&page=x&people.filter=x-y'),
  ).toEqual([])
  expect(unread('?filter=later-a&filter=status-b&filter=status-&filter=x')).toEqual(['later-a', 'status-', 'x'])
  expect(unread(`?search=${'x'.repeat(101)}`)).toEqual(['x'.repeat(101)])
  expect(unread('?people.filter=x-y&filter=x-y', people)).toEqual(['x-y'])
})

test('a query that was read can be written again, without defaults, and the rest of the address stays', () => {
  const search = '?search=a%26b&filter=status-draft&sort=-updated&page=3&size=20'
  expect(read(writeTableQuery('', table, read(search)))).toEqual(read(search))
  expect(writeTableQuery(search, table, usual)).toBe('')
  expect(writeTableQuery('?attempt=u&page=2', table, { page: 1 })).toBe('?attempt=u')
})

test('two tables share an address without changing each other’s part', () => {
  const search = writeTableQuery('?search=a&page=2', people, { search: 'b', filters: { status: ['x'] } })
  expect(read(search)).toEqual({ ...usual, search: 'a', page: 2 })
  expect(read(search, people)).toEqual({ ...usual, search: 'b', filters: { status: ['x'] } })
  expect(tableSearch(search, 'people.')).toBe('?people.search=b&people.filter=status-x')
  expect(tableSearch(`${search}&next=//evil.example&uid=1`)).toBe(search)
  expect(tableSearch('?next=x')).toBe('')
})

test('the address of an attempt keeps only the tables that led to it', () => {
  const chosen = attemptSearch('?search=a%26b&people.page=2&attempt=old&next=//evil.example', 'x', '5')
  expect(chosen).toBe('?search=a%26b&people.page=2&attempt=x&before=5')
  expect(tableSearch(attemptSearch(chosen, 'y'))).toBe('?search=a%26b&people.page=2')
})

type Row = { id: string; name: string; groups: string[]; score: number | null }
const columns: Column<Row>[] = [
  {
    id: 'name',
    header: 'Name',
    value: ({ name }) => name,
    searched: ({ name, groups }) => [name, ...groups],
    width: 1,
  },
  { id: 'score', header: 'Score', value: ({ score }) => score, width: 1 },
  { id: 'secret', header: 'Secret', value: () => 'secret', width: 1 },
]
const filters: Filter<Row>[] = [{ name: 'group', label: 'Group', options: [], valuesOf: ({ groups }) => groups }]
const row = (name: string, groups: string[] = [], score: number | null = null): Row => ({
  id: name,
  name,
  groups,
  score,
})
const names = (rows: Row[]) => rows.map(({ name }) => name)

test('the browser searches, filters, sorts and pages rows as the server does', () => {
  const rows = [row('Zebra', ['a'], 2), row('apple', ['a', 'b'], 10), row('Árbol', [], null)]
  const find = (search: string, chosen = {}) => names(findRows(rows, columns, filters, { search, filters: chosen }))
  expect(find(' ZEB')).toEqual(['Zebra'])
  expect(find('arbol')).toEqual(['Árbol'])
  expect(find('secret')).toEqual([])
  expect(find('b app'), 'words of different texts').toEqual(['apple'])
  expect(find('e a'), 'no text holds this').toEqual([])
  expect(find('', { group: ['b', 'c'] })).toEqual(['apple'])
  expect(find('zeb', { group: ['b'] })).toEqual([])
  expect(find('', { unknown: ['b'] })).toHaveLength(3)
  const sorted = (sort: string, isDescending: boolean) => names(sortRows(rows, columns, { sort, isDescending }))
  expect(sorted('name', false)).toEqual(['apple', 'Zebra', 'Árbol'])
  expect(sorted('score', false)).toEqual(['Zebra', 'apple', 'Árbol'])
  expect(sorted('score', true), 'without a value last').toEqual(['apple', 'Zebra', 'Árbol'])
  expect(names(pageOf(rows, { page: 2, size: 2 }))).toEqual(['Árbol'])
  expect(pageOf(rows, { page: 9, size: 2 })).toEqual([])
})

test('a refresh replaces changed rows, adds new ones and removes missing ones', () => {
  const before = [row('a'), row('b'), row('c')]
  const changed = { rows: [{ ...row('b'), score: 5 }, row('d')], gone: ['c', 'x'] }
  expect(mergeRows(before, changed, ({ id }) => id)).toEqual([row('a'), { ...row('b'), score: 5 }, row('d')])
})

test('the rows of a page that was loaded again take the places of the known ones, and add none', () => {
  const known = [row('a'), row('b'), row('c')]
  const fresh = [{ ...row('b'), score: 5 }, row('gone')]
  expect(refreshRows(known, fresh, ({ id }) => id)).toEqual([row('a'), { ...row('b'), score: 5 }, row('c')])
})

test('the boxes of two tables in one page belong to two forms', () => {
  const selection = { selected: new Set<string>(), onChange: () => {}, max: 5, action: '/', actions: null }
  const formOf = (of: TableDefinition) =>
    renderToStaticMarkup(createElement(RowBox<Row>, { table: of, id: 'a', name: 'a', row: row('a'), selection })).match(
      / form="([^"]+)"/,
    )?.[1]
  expect([formOf(table), formOf(people)]).toEqual(['selection', 'people.selection'])
})

test('of the stored widths of columns, those that a table cannot have are ignored', () => {
  const widths = '"name":300,"status":"abc","tags":1e9,"author":-5,"score":null'
  expect(parseChoice(`{"shown":["name"],"widths":{${widths}}}`)).toEqual({ shown: ['name'], widths: { name: 300 } })
  expect(parseChoice('{"widths":"x"}')).toEqual({})
})

test('the pager shows the first, the last and the nearby pages, and marks the gaps', () => {
  expect(numbersOf(1, 1)).toEqual([1])
  expect(numbersOf(4, 7)).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect(numbersOf(1, 200)).toEqual([1, 2, 3, 4, null, 200])
  expect(numbersOf(4, 200)).toEqual([1, null, 3, 4, 5, null, 200])
  expect(numbersOf(100, 200)).toEqual([1, null, 99, 100, 101, null, 200])
  expect(numbersOf(197, 200)).toEqual([1, null, 196, 197, 198, null, 200])
  expect(numbersOf(200, 200)).toEqual([1, null, 197, 198, 199, 200])
  expect(numbersOf(999, 200)).toEqual([1, null, 197, 198, 199, 200])
})

const moving = (from: string, to: string, more: { formMethod?: 'POST'; actionStatus?: number } = {}) => ({
  currentUrl: new URL(from, 'http://x'),
  nextUrl: new URL(to, 'http://x'),
  currentParams: {},
  nextParams: {},
  defaultShouldRevalidate: true,
  ...more,
})

test('a table reloads for its own part of the address and after a post, not for dialogs or other tables', () => {
  const section = revalidatesTable(table)
  expect(section(moving('/m/', '/m/?page=2'))).toBe(true)
  expect(section(moving('/m/?page=2', '/m/1/?page=2'))).toBe(false)
  expect(section(moving('/m/1/?page=2', '/m/?page=2'))).toBe(false)
  expect(section(moving('/m/1/people/', '/m/1/people/?people.page=2'))).toBe(false)
  expect(section(moving('/m/1/', '/m/', { formMethod: 'POST' }))).toBe(true)
  expect(section(moving('/m/1/', '/m/1/', { formMethod: 'POST', actionStatus: 422 }))).toBe(false)
  expect(section(moving('/m/', '/m/'))).toBe(true)
  const list = revalidatesTable(people)
  expect(list(moving('/m/1/people/', '/m/2/people/'))).toBe(true)
  expect(list(moving('/m/1/people/', '/m/1/people/?people.page=2'))).toBe(true)
})

test('a form goes on from what is stored after a conflict, and from what was typed after any other refusal', () => {
  const answered = (actionStatus: number) =>
    revalidatesAfterPosts(moving('/m/1/', '/m/1/', { formMethod: 'POST', actionStatus }))
  expect([200, 409, 422].map(answered)).toEqual([true, true, true])
  // Logged out, viewing as somebody else, removed, and no answer.
  expect([401, 403, 404, 503].map(answered)).toEqual([false, false, false, false])
})

test('nothing loads if the browser has all rows of the table whose part has changed', () => {
  const turn = moving('/m/?a=1', '/m/?a=1&page=2')
  expect(revalidatesLayout(turn)).toBe(true)
  const end = markLive('')
  expect(revalidatesLayout(turn)).toBe(false)
  expect(revalidatesTable(table)(turn)).toBe(false)
  expect(revalidatesLayout(moving('/m/', '/m/?people.page=2'))).toBe(true)
  expect(revalidatesLayout(moving('/m/', '/m/?page=2&uid=3'))).toBe(true)
  expect(revalidatesLayout(moving('/m/', '/n/?page=2'))).toBe(true)
  expect(revalidatesLayout(moving('/m/', '/m/?page=2', { formMethod: 'POST' }))).toBe(true)
  // A reload would discard a refused form.
  expect(revalidatesLayout(moving('/m/', '/m/', { formMethod: 'POST', actionStatus: 401 }))).toBe(false)
  expect(revalidatesLayout(moving('/m/', '/m/', { formMethod: 'POST', actionStatus: 200 }))).toBe(true)
  end()
  expect(revalidatesLayout(turn)).toBe(true)
})
