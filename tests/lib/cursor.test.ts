import { expect, test } from 'vitest'
import { openCursor, openNameCursor, pageByName, sealCursor } from '~/lib/cursor.ts'

const row = (id: number) => ({ id, name: `Name “${id}”` })

test('a cursor continues its own list and is invalid in others', () => {
  const page = pageByName({ list: 'modules', first: 2 }, [row(1), row(2), row(3)], ({ id }) => id)
  expect(page).toMatchObject({ items: [1, 2], hasNextPage: true })
  expect(openNameCursor('modules', page.endCursor ?? '')).toEqual(row(2))
  expect(openNameCursor('module', page.endCursor ?? '')).toBeNull()
  expect(openCursor('videos', page.endCursor ?? '')).toBeNull()
  expect(pageByName({ list: 'modules', first: 2 }, [], ({ id }) => id)).toEqual({
    items: [],
    endCursor: null,
    hasNextPage: false,
  })
})

test('a cursor without a name and an id is invalid', () => {
  expect(openNameCursor('a', sealCursor('a', ['x', 1]))).toEqual({ name: 'x', id: 1 })
  for (const key of [[], ['x'], ['x', 'y'], [1, 1], ['a\u0000', 1], ['a', 1e300], ['a', 1.5], ['a', 1, 2]]) {
    expect(openNameCursor('a', sealCursor('a', key)), JSON.stringify(key)).toBeNull()
  }
  const raw = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  for (const cursor of ['', 'x', '%', raw(null), raw({}), raw([]), raw(['x', 1]), raw('x'), raw([[], 'x', 1])]) {
    expect(openNameCursor('a', cursor), cursor).toBeNull()
  }
})
