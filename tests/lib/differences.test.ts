import { describe, expect, test } from 'vitest'
import { diffLists, diffWords, shortenSame, type TextPart } from '~/lib/differences.ts'
import { rounds } from '../support/long.ts'

const sideOf = (parts: TextPart[], not: 'added' | 'removed') =>
  parts
    .filter(({ is }) => is !== not)
    .map(({ text }) => text)
    .join('')

/** Repeatable numbers from 0 to 1. */
function aSequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

describe('diffWords', () => {
  test('marks changed words and leaves the others', () => {
    expect(diffWords('Read the plate twice', 'Read this plate twice, please')).toEqual([
      { text: 'Read ', is: 'same' },
      { text: 'the ', is: 'removed' },
      { text: 'this ', is: 'added' },
      { text: 'plate ', is: 'same' },
      { text: 'twice', is: 'removed' },
      { text: 'twice, please', is: 'added' },
    ])
    expect(diffWords('', 'New')).toEqual([{ text: 'New', is: 'added' }])
    expect(diffWords('Gone', '')).toEqual([{ text: 'Gone', is: 'removed' }])
    expect(diffWords('a\n\nb', 'a\nb')).toEqual([
      { text: 'a\n', is: 'same' },
      { text: '\n', is: 'removed' },
      { text: 'b', is: 'same' },
    ])
    expect(diffWords('', '')).toEqual([])
  })

  test('both texts can be read from the parts, and no script is longer than needed', () => {
    const random = aSequence(13)
    const words = ['assay ', 'plate ', 'well ', 'dose\n', '  ', 'é ', '😀 ']
    const aText = () =>
      Array.from({ length: Math.floor(random() * 14) }, () => words[Math.floor(random() * 7)]).join('')
    for (let run = 0; run < rounds(3000); run++) {
      const [before, after] = [aText(), aText()]
      const parts = diffWords(before, after)
      expect(sideOf(parts, 'added')).toBe(before)
      expect(sideOf(parts, 'removed')).toBe(after)
      expect(editsIn(parts)).toBe(fewestEdits(before, after))
    }
  })

  test('texts that have nothing in common are shown as replaced, in little time', () => {
    const text = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word}${index}`).join(' ')
    const started = performance.now()
    const parts = diffWords(text('a'), text('b'))
    expect(parts.map(({ is }) => is)).toEqual(['removed', 'added'])
    expect(performance.now() - started).toBeLessThan(3000)
  })

  test('long unchanged parts are shortened around the changes', () => {
    const long = 'word '.repeat(500)
    const parts = shortenSame(diffWords(`${long}old ${long}`, `${long}new ${long}`))
    expect(parts.map(({ is }) => is)).toEqual(['same', 'removed', 'added', 'same'])
    expect(parts[0]?.text.length).toBeLessThan(200)
    expect(parts.at(-1)?.text.endsWith(' … ')).toBe(true)
    expect(shortenSame(diffWords('old one', 'new one')).map(({ text }) => text)).toEqual(['old ', 'new ', 'one'])
  })
})

const tokens = (text: string) => text.match(/\n|[^\S\n]+|[^\s]+[^\S\n]*/g) ?? []
const editsIn = (parts: TextPart[]) =>
  parts.filter(({ is }) => is !== 'same').reduce((sum, { text }) => sum + tokens(text).length, 0)

/** The length of the shortest script, by the textbook's table. */
function fewestEdits(before: string, after: string): number {
  const [one, other] = [tokens(before), tokens(after)]
  let row = Array.from({ length: other.length + 1 }, () => 0)
  for (const word of one) {
    const next = [0]
    other.forEach((wanted, index) => {
      next.push(word === wanted ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0))
    })
    row = next
  }
  return one.length + other.length - 2 * (row.at(-1) ?? 0)
}

describe('diffLists', () => {
  test('names what is new, gone and moved, and as few moves as possible', () => {
    expect(diffLists(['a', 'b', 'c'], ['c', 'a', 'b'], true)).toEqual([{ item: 'c', is: 'moved' }])
    expect(diffLists(['a', 'b', 'c'], ['c', 'a', 'b'])).toEqual([])
    expect(diffLists(['a', 'b'], ['b', 'd'], true)).toEqual([
      { item: 'a', is: 'removed' },
      { item: 'd', is: 'added' },
    ])
    expect(diffLists([], [])).toEqual([])
  })
})
