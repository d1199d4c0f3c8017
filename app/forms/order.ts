/**
 * The order of a list that people arrange: items, and the items inside each, in at most two levels. Forms and scripts
 * send it as a list of uids in one text field, so that a long list does not exceed the number of fields that a form may
 * have.
 */
import { z } from 'zod'
import { isUid } from '~/lib/uid.ts'

/** `inside` is missing if an item cannot contain others. */
export type OrderItem = { uid: string; inside?: OrderItem[] }

/** The place of an item: the item that contains it (null for the list itself), and how many items come before it. */
export type OrderPlace = { parent: string | null; index: number }

export type OrderStep = 'up' | 'down'

/** The Modules page is the largest list: all modules of a site. */
const mostInOrder = 5000

export function placeOf(list: OrderItem[], uid: string): OrderPlace | null {
  const index = list.findIndex((item) => item.uid === uid)
  if (index >= 0) return { parent: null, index }
  for (const { uid: parent, inside = [] } of list) {
    const within = inside.findIndex((item) => item.uid === uid)
    if (within >= 0) return { parent, index: within }
  }
  return null
}

/** Moves an item to another place. An impossible move, such as that of an item into itself, changes nothing. */
export function moveTo<Item extends OrderItem>(list: Item[], uid: string, to: OrderPlace): Item[] {
  const from = placeOf(list, uid)
  const target = to.parent === null ? null : list.find((item) => item.uid === to.parent)
  if (!from || (from.parent === null) !== (to.parent === null)) return list
  if (to.parent !== null && !target?.inside) return list
  const moved = siblingsAt(list, from.parent)[from.index]
  if (!moved) return list
  const without = withSiblings(list, from.parent, (items) => items.filter((item) => item.uid !== uid))
  return withSiblings(without, to.parent, (items) => {
    const index = Math.max(0, Math.min(to.index, items.length))
    return [...items.slice(0, index), moved, ...items.slice(index)]
  })
}

/**
 * Returns the place one step up or down in the same list. With `isAcross`, the first or last item inside another one
 * moves into the previous or next one. Returns null if there is no such step.
 */
export function placeAfterStep(
  list: OrderItem[],
  uid: string,
  step: OrderStep,
  { isAcross = false } = {},
): OrderPlace | null {
  const from = placeOf(list, uid)
  if (!from) return null
  const siblings = siblingsAt(list, from.parent)
  const index = step === 'up' ? from.index - 1 : from.index + 1
  if (index >= 0 && index < siblings.length) return { parent: from.parent, index }
  if (from.parent === null || !isAcross) return null
  const parent = list.findIndex((item) => item.uid === from.parent)
  const next = list[step === 'up' ? parent - 1 : parent + 1]
  if (!next?.inside) return null
  return { parent: next.uid, index: step === 'up' ? next.inside.length : 0 }
}

export function siblingsAt<Item extends OrderItem>(list: Item[], parent: string | null): Item[] {
  if (parent === null) return list
  return (list.find((item) => item.uid === parent)?.inside ?? []) as Item[]
}

function withSiblings<Item extends OrderItem>(
  list: Item[],
  parent: string | null,
  change: (items: Item[]) => Item[],
): Item[] {
  if (parent === null) return change(list)
  return list.map((item) => (item.uid === parent ? { ...item, inside: change((item.inside ?? []) as Item[]) } : item))
}

/** Writes a list as text. `a b/x b/y` means that "b" contains "x" and "y", and that "a" contains nothing. */
export function writeOrder(list: OrderItem[]): string {
  return list.flatMap(({ uid, inside = [] }) => [uid, ...inside.map((item) => `${uid}/${item.uid}`)]).join(' ')
}

/**
 * Sorts the list as the text says. Items that the text does not name come last in their own list, in their old order.
 * Names that the list does not have are ignored. So a page can show an order that was sent, even if the list has
 * changed meanwhile.
 */
export function inOrderOf<Item extends OrderItem>(list: Item[], text: string): Item[] {
  const entries = entriesOf(text)
  const rank = new Map(entries.map(({ uid }, index) => [uid, index]))
  const parentOf = new Map(entries.map(({ uid, parent }) => [uid, parent]))
  const byRank = (one: OrderItem, other: OrderItem) =>
    (rank.get(one.uid) ?? entries.length) - (rank.get(other.uid) ?? entries.length)
  const nested = list.flatMap(({ uid, inside = [] }) => inside.map((item) => ({ item: item as Item, was: uid })))
  const home = ({ item, was }: { item: Item; was: string }) => {
    const wanted = parentOf.get(item.uid)
    return list.some(({ uid, inside }) => uid === wanted && inside) ? wanted : was
  }
  return [...list].sort(byRank).map((item) =>
    item.inside
      ? {
          ...item,
          inside: nested
            .filter((one) => home(one) === item.uid)
            .map((one) => one.item)
            .sort(byRank),
        }
      : item,
  )
}

type Entry = { uid: string; parent: string | null }

function entriesOf(text: string): Entry[] {
  return text
    .split(/\s+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [first = '', second] = entry.split('/')
      return second === undefined ? { uid: first, parent: null } : { uid: second, parent: first }
    })
}

/** Finds what is wrong with an order. A list that is too long is not looked at any further. */
function problemOf(entries: Entry[]): string | null {
  if (entries.length > mostInOrder) return `At most ${mostInOrder.toLocaleString('en')} can be put in order`
  const parents = new Set(entries.filter(({ parent }) => parent === null).map(({ uid }) => uid))
  const isReadable = entries.every(({ uid, parent }) => isUid(uid) && (parent === null || parents.has(parent)))
  if (!isReadable) return 'This order cannot be read'
  const isRepeated = new Set(entries.map(({ uid }) => uid)).size !== entries.length
  return isRepeated ? 'Nothing can be in a list twice' : null
}

const orderField = z
  .string()
  .max(80 * mostInOrder, 'This list is too long to be put in order')
  .transform((text) => entriesOf(text.toLowerCase()))
  .superRefine((entries, { addIssue }) => {
    const message = problemOf(entries)
    if (message) addIssue({ code: 'custom', message })
  })
  .transform((entries): OrderItem[] =>
    entries
      .filter(({ parent }) => parent === null)
      .map(({ uid }) => ({
        uid,
        inside: entries.filter(({ parent }) => parent === uid).map((item) => ({ uid: item.uid })),
      })),
  )

/**
 * `order` is the new order, and `opened` the order when the page was opened. `move` is a button of the plain form:
 * `up:{uid}`.
 */
export const orderForm = z.object({
  order: orderField,
  opened: orderField,
  move: z
    .string()
    .regex(/^(up|down):[0-9a-f-]{36}$/i, 'This order cannot be read')
    .transform((text) => ({
      step: text.split(':')[0] as OrderStep,
      uid: text.slice(text.indexOf(':') + 1).toLowerCase(),
    }))
    .optional(),
})
