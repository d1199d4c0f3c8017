/** Differences between two texts, by word, and between two lists. */

export type Change = 'same' | 'added' | 'removed'
export type TextPart = { text: string; is: Change }

/** With more edits than this, one text is shown as replaced by the other: nobody would find their way between them. */
const mostEdits = 1000

/**
 * Compares two texts by word (Myers's algorithm, which takes time in proportion to the differences). Neighboring words of
 * the same kind are one part; joined without the added parts they are `before`, and without the removed ones `after`.
 */
export function diffWords(before: string, after: string): TextPart[] {
  const [one, other] = [wordsOf(before), wordsOf(after)]
  let start = 0
  while (start < one.length && start < other.length && one[start] === other[start]) start++
  let end = 0
  const shorter = Math.min(one.length, other.length) - start
  while (end < shorter && one[one.length - 1 - end] === other[other.length - 1 - end]) end++
  const middle = diffTokens(one.slice(start, one.length - end), other.slice(start, other.length - end))
  return joinParts([
    { text: one.slice(0, start).join(''), is: 'same' },
    ...middle,
    { text: one.slice(one.length - end).join(''), is: 'same' },
  ])
}

/** Words with the spaces behind them, so that a space is no difference of its own. Breaks of lines are words too. */
function wordsOf(text: string): string[] {
  return text.match(/\n|[^\S\n]+|[^\s]+[^\S\n]*/g) ?? []
}

function diffTokens(one: string[], other: string[]): TextPart[] {
  const trace = findEdits(one, other)
  const replaced: TextPart[] = [
    { text: one.join(''), is: 'removed' },
    { text: other.join(''), is: 'added' },
  ]
  return trace ? walkBack(one, other, trace) : replaced
}

/** The furthest points on each diagonal for 0, 1, 2 … edits, up to the shortest script; null if it is too long. */
function findEdits(one: string[], other: string[]): Int32Array[] | null {
  const most = Math.min(one.length + other.length, mostEdits)
  const trace: Int32Array[] = []
  let furthest = new Int32Array(3)
  for (let edits = 0; edits <= most; edits++) {
    // Diagonal k is at index k + edits + 1.
    const next = new Int32Array(2 * edits + 5)
    for (let k = -edits; k <= edits; k += 2) {
      let x = edits === 0 ? 0 : isDown(furthest, k, edits) ? at(furthest, k + 1, edits) : at(furthest, k - 1, edits) + 1
      while (x < one.length && x - k < other.length && one[x] === other[x - k]) x++
      next[k + edits + 1] = x
      if (x >= one.length && x - k >= other.length) return [...trace, next]
    }
    trace.push(next)
    furthest = next
  }
  return null
}

/** The furthest point on a diagonal after one edit less. */
function at(furthest: Int32Array, k: number, edits: number): number {
  return furthest[k + edits] ?? 0
}

/** Tells whether the best way to this diagonal adds a word instead of removing one. */
function isDown(furthest: Int32Array, k: number, edits: number): boolean {
  return k === -edits || (k !== edits && at(furthest, k - 1, edits) < at(furthest, k + 1, edits))
}

function walkBack(one: string[], other: string[], trace: Int32Array[]): TextPart[] {
  const parts: TextPart[] = []
  let [x, y] = [one.length, other.length]
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const k = x - y
    const furthest = trace[edits - 1]
    const down = furthest !== undefined && isDown(furthest, k, edits)
    const from = furthest ? (down ? at(furthest, k + 1, edits) : at(furthest, k - 1, edits)) : 0
    const fromY = furthest ? from - (down ? k + 1 : k - 1) : 0
    while (x > from && y > fromY) {
      parts.push({ text: one[--x] ?? '', is: 'same' })
      y--
    }
    if (!furthest) break
    if (down) parts.push({ text: other[--y] ?? '', is: 'added' })
    else parts.push({ text: one[--x] ?? '', is: 'removed' })
  }
  return parts.reverse()
}

function joinParts(parts: TextPart[]): TextPart[] {
  const joined: TextPart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.text === '') continue
    if (last?.is === part.is) last.text += part.text
    else joined.push({ ...part })
  }
  return joined
}

/** How many characters of an unchanged part are shown on each side of a change. */
const context = 160

/** Shortens the unchanged parts of a long text, so that the changes can be found. */
export function shortenSame(parts: TextPart[]): TextPart[] {
  return parts.map((part, index) => {
    const characters = [...part.text]
    const [isFirst, isLast] = [index === 0, index === parts.length - 1]
    const most = (isFirst ? 0 : context) + (isLast ? 0 : context)
    if (part.is !== 'same' || characters.length <= most + 20) return part
    const head = isFirst ? '' : characters.slice(0, context).join('')
    const tail = isLast ? '' : characters.slice(characters.length - context).join('')
    return { text: `${head} … ${tail}`, is: 'same' }
  })
}

export type ListPart<Item> = { item: Item; is: 'added' | 'removed' | 'moved' }

/**
 * Compares two lists without repetitions: what is new, what is gone and, if the order matters, what was moved. As few
 * items as possible count as moved.
 */
export function diffLists<Item>(before: readonly Item[], after: readonly Item[], isOrdered = false): ListPart<Item>[] {
  const [old, fresh] = [new Set(before), new Set(after)]
  const kept = after.filter((item) => old.has(item))
  const placeOf = new Map(before.map((item, place) => [item, place]))
  const inOrder = longestIncrease(kept.map((item) => placeOf.get(item) ?? 0))
  const moved = isOrdered ? kept.filter((_, index) => !inOrder.has(index)) : []
  return [
    ...before.filter((item) => !fresh.has(item)).map((item) => ({ item, is: 'removed' as const })),
    ...after.filter((item) => !old.has(item)).map((item) => ({ item, is: 'added' as const })),
    ...moved.map((item) => ({ item, is: 'moved' as const })),
  ]
}

/** Returns the indexes of a longest part of the numbers that increases. */
function longestIncrease(numbers: number[]): Set<number> {
  const ends: number[] = []
  const previous: (number | undefined)[] = []
  numbers.forEach((number, index) => {
    let length = ends.findIndex((end) => (numbers[end] ?? 0) >= number)
    if (length === -1) length = ends.length
    previous[index] = ends[length - 1]
    ends[length] = index
  })
  const found = new Set<number>()
  for (let index = ends.at(-1); index !== undefined; index = previous[index]) found.add(index)
  return found
}
