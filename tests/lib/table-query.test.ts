import { expect, test } from 'vitest'
import { compareValues, findRows } from '~/components/console/live-grid.tsx'
import { attemptSearch, listOfLearners } from '~/components/console/modules/attempt-address.ts'
import { joined } from '~/components/console/use-all-rows.ts'
import { readTableQuery, tablesSearch, writeTableQuery } from '~/lib/table-query.ts'

const sorts = ['name', 'updated'] as const
const read = (search: string) => readTableQuery(new URLSearchParams(search), sorts)
const usual = { search: '', sort: 'name', isDescending: false, page: 1, size: 10 }

test('an address that makes no sense is the usual table', () => {
  for (const address of ['', '?sort=evil&page=-1&size=1000', '?page=1e9', '?page=x&size=x', '?sort=-']) {
    expect(read(address), address).toEqual(usual)
  }
  expect(read('?search=%20a%20&sort=-updated&page=3&size=20')).toEqual({
    search: 'a',
    sort: 'updated',
    isDescending: true,
    page: 3,
    size: 20,
  })
  expect(read(`?search=${'x'.repeat(150)}`).search).toHaveLength(100)
})

test('what was read can be written again, and the usual is left out', () => {
  const query = read('?search=a%26b&sort=-updated&page=3&size=20')
  expect(read(writeTableQuery(query, {}, 'name'))).toEqual(query)
  expect(writeTableQuery(query, usual, 'name')).toBe('?')
  const over = read('?search=a&list=%3Fsort%3D-updated%26next%3D%2F%2Fevil.example%26page%3D2')
  expect(over.behind).toBe('?sort=-updated&page=2')
  expect(read(writeTableQuery(over, { page: 2 }, 'name'))).toEqual({ ...over, page: 2 })
})

test('the page of a learner’s attempts leads back to the list as it was, and to the one behind that', () => {
  const list = '?search=a%26b&page=2&list=%3Fsort%3D-updated'
  const page = `?${new URLSearchParams({ list: tablesSearch(`${list}&next=//evil.example`) })}`
  expect(listOfLearners(page)).toBe(list)
  const chosen = attemptSearch(page, 'x', '5')
  expect(Object.fromEntries(new URLSearchParams(chosen))).toEqual({ attempt: 'x', before: '5', list })
  expect(listOfLearners(attemptSearch(chosen, 'y'))).toBe(list)
  expect([listOfLearners(''), listOfLearners('?list=https://evil.example/'), attemptSearch('?a=b', 'x')]).toEqual([
    '',
    '',
    '?attempt=x',
  ])
})

test('a list that is read again keeps what has not come yet, without what is gone', () => {
  const id = (row: string) => row
  expect(joined(['a', 'c'], ['a', 'b', 'c', 'd', 'e'], id)).toEqual(['a', 'c', 'd', 'e'])
  expect(joined(['x'], ['a'], id)).toEqual(['x', 'a'])
})

test('the live grid finds and orders as the server does', () => {
  const columns = [
    { id: 'name', header: 'Name', value: (row: { name: string }) => row.name, isSearched: true, width: 1 },
    { id: 'secret', header: 'Secret', value: () => 'secret', width: 1 },
  ]
  const rows = [{ name: 'Zebra' }, { name: 'apple' }]
  expect(findRows(rows, columns, ' ZEB')).toEqual([{ name: 'Zebra' }])
  expect(findRows(rows, columns, 'secret')).toEqual([])
  expect(compareValues('Zebra', 'apple', false)).toBe(1)
  expect([compareValues(null, 1, false), compareValues(null, 1, true)]).toEqual([1, -1])
})
