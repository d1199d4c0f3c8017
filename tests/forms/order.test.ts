/** The order of lists that people arrange. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inOrderOf, moveTo, type OrderItem, orderForm, placeAfterStep, placeOf, writeOrder } from '~/forms/order.ts'
import { parseForm } from '~/forms/parse.ts'

const list: OrderItem[] = [
  { uid: 'a', inside: [{ uid: 'x' }, { uid: 'y' }] },
  { uid: 'b', inside: [] },
  { uid: 'c', inside: [{ uid: 'z' }] },
]

test('an item moves within its list or into another one, but never to an impossible place', () => {
  const after = (uid: string, parent: string | null, index: number) => writeOrder(moveTo(list, uid, { parent, index }))
  expect(after('c', null, 0)).toBe('c c/z a a/x a/y b')
  expect(after('x', 'a', 1)).toBe('a a/y a/x b c c/z')
  expect(after('x', 'b', 0)).toBe('a a/y b b/x c c/z')
  expect(after('x', 'c', 99)).toBe('a a/y b c c/z c/x')
  for (const [uid, parent] of [
    ['a', 'b'],
    ['x', null],
    ['x', 'none'],
    ['none', null],
    ['a', 'a'],
  ] as const) {
    expect(after(uid, parent, 0)).toBe(writeOrder(list))
  }
})

test('a step stops at the ends of the list, or continues into the next list', () => {
  expect(placeAfterStep(list, 'a', 'up')).toBeNull()
  expect(placeAfterStep(list, 'a', 'down')).toEqual({ parent: null, index: 1 })
  expect(placeAfterStep(list, 'c', 'down', { isAcross: true })).toBeNull()
  expect(placeAfterStep(list, 'y', 'down')).toBeNull()
  expect(placeAfterStep(list, 'y', 'down', { isAcross: true })).toEqual({ parent: 'b', index: 0 })
  expect(placeAfterStep(list, 'z', 'up', { isAcross: true })).toEqual({ parent: 'b', index: 0 })
  expect(placeAfterStep(list, 'x', 'up', { isAcross: true })).toBeNull()
})

test('no move loses or duplicates an item, and a written order can be read back', () => {
  const uids = ['a', 'b', 'c', 'x', 'y', 'z', 'none']
  const move = fc.record({
    uid: fc.constantFrom(...uids),
    parent: fc.constantFrom(null, ...uids),
    index: fc.integer({ min: -2, max: 5 }),
  })
  fc.assert(
    fc.property(fc.array(move, { maxLength: 20 }), (moves) => {
      const moved = moves.reduce((now, { uid, ...to }) => moveTo(now, uid, to), list)
      for (const uid of uids) expect(placeOf(moved, uid) === null).toBe(uid === 'none')
      expect(writeOrder(moved).split(' ')).toHaveLength(6)
      expect(inOrderOf(list, writeOrder(moved))).toEqual(moved)
    }),
  )
})

test('an order of a list that has changed keeps new items and leaves out missing ones', () => {
  const now: OrderItem[] = [
    { uid: 'a', inside: [{ uid: 'x' }, { uid: 'new' }] },
    { uid: 'b', inside: [] },
    { uid: 'd' },
  ]
  expect(writeOrder(inOrderOf(now, 'c c/z b b/x a a/y'))).toBe('b b/x a a/new d')
})

const uid = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`

test('the form accepts an order of uids without duplicates, in two levels', () => {
  const parse = (order: string, rest: object = {}) => parseForm(orderForm, { order, opened: '', ...rest })
  expect(parse(`${uid(1)} ${uid(1)}/${uid(2)} ${uid(3)}`, { move: `up:${uid(3)}` })).toEqual({
    ok: true,
    value: {
      order: [
        { uid: uid(1), inside: [{ uid: uid(2) }] },
        { uid: uid(3), inside: [] },
      ],
      opened: [],
      move: { step: 'up', uid: uid(3) },
    },
  })
  for (const wrong of [
    'x',
    `${uid(1)} ${uid(1)}`,
    `${uid(1)}/${uid(2)}`,
    `${uid(1)} ${uid(1)}/${uid(1)}`,
    "'; drop table",
  ]) {
    expect(parse(wrong), wrong).toMatchObject({ ok: false })
  }
  expect(parse('', { move: 'sideways' })).toMatchObject({ ok: false, errors: { move: 'This order cannot be read' } })
  expect(parse(Array.from({ length: 1001 }, () => uid(1)).join(' '))).toMatchObject({ ok: false })
})

test('a list that is much too long is refused at once', () => {
  const order = [...Array.from({ length: 13_000 }, () => 'p/x'), 'p'].join(' ')
  const started = performance.now()
  const { errors } = parseForm(orderForm, { order, opened: order }) as { errors: Record<string, string> }
  expect(performance.now() - started).toBeLessThan(500)
  expect(errors).toEqual({
    order: 'At most 5,000 can be put in order',
    opened: 'At most 5,000 can be put in order',
  })
})
