/**
 * Finds the terms of a glossary in texts: whole words, ignoring case and simple plurals, the longest term first, and
 * each term once per text. The time grows with the length of the text and not with the number of terms.
 *
 * Names of capitals only are abbreviations and are found only in capitals; otherwise WHO would be in every question.
 */

export type Term = { slug: string; name: string; definition: string }

/** A part of a text; `term` is what its words mean. */
export type TextPart = { text: string; term?: Term }

/** The most terms that are marked in one text, and on one page. */
export const mostTermsInText = 20
export const mostTermsOnPage = 60

/** The most words of a page that are looked up, and the most names that differ only in signs or in their plural. */
const mostWords = 10_000
const mostAlike = 20

/** Letters with the marks on them, and digits. The index of the terms' first words splits at the same characters. */
const word = /[\p{L}\p{M}\p{Nd}]+/gu
const firstWordKey = /[\p{L}\p{Nd}]+/u

/** The keys under which the first words of terms may be stored that these texts could contain. */
export function firstWordsOf(texts: string[]): string[] {
  const words = new Set<string>()
  for (const text of texts) {
    for (const [found] of text.matchAll(word)) {
      words.add(fold(found))
      if (words.size >= mostWords) return keysOf(words)
    }
  }
  return keysOf(words)
}

function keysOf(words: Set<string>): string[] {
  const keys = new Set<string>()
  for (const one of words) {
    for (const form of [...formsOf(one), ...pluralsOf(one)]) {
      const [key] = firstWordKey.exec(form) ?? []
      if (key !== undefined) keys.add(key)
    }
  }
  return [...keys]
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/** A word and what it may be the plural of. */
function formsOf(folded: string): string[] {
  if (folded.length < 3 || !folded.endsWith('s') || /(?:ss|us)$/.test(folded)) return [folded]
  const withoutS = folded.slice(0, -1)
  if (/.ies$/.test(folded)) return [folded, withoutS, `${folded.slice(0, -3)}y`]
  if (/yses$/.test(folded)) return [folded, withoutS, `${folded.slice(0, -2)}is`]
  if (/(?:ch|sh|x|z|ss|us)es$/.test(folded)) return [folded, withoutS, folded.slice(0, -2)]
  return [folded, withoutS]
}

/** The plurals that `formsOf` understands. */
function pluralsOf(folded: string): string[] {
  const plurals = [`${folded}s`, `${folded}es`]
  if (folded.endsWith('y')) plurals.push(`${folded.slice(0, -1)}ies`)
  if (folded.endsWith('ysis')) plurals.push(`${folded.slice(0, -2)}es`)
  return plurals
}

/** What is between two words of a term. Words joined by hyphens or by blanks are the same. */
function foldGap(gap: string): string {
  return fold(gap)
    .replace(/[\s\u002d\u2010\u2011]+/gu, ' ')
    .replace(/[\u2018\u2019]/g, "'")
}

type Entry = { term: Term; before: string; after: string; isAbbreviation: boolean }
type Node = { next: Map<string, Node>; entries: Entry[] }

/** The terms as a tree of their words; texts are walked along it. */
export type TermTree = { root: Node; left: number }

export function termTree(terms: Term[]): TermTree {
  const root: Node = { next: new Map(), entries: [] }
  for (const term of terms) addTerm(root, term)
  return { root, left: mostTermsOnPage }
}

function addTerm(root: Node, term: Term): void {
  const words = wordsOf(term.name)
  const [first] = words
  const last = words.at(-1)
  if (!first || !last) return
  const entry = {
    term,
    before: foldGap(term.name.slice(0, first.start)),
    after: foldGap(term.name.slice(last.end)),
    isAbbreviation: isAbbreviation(term.name),
  }
  let nodes = [root]
  words.forEach((one, index) => {
    // Names are plural in their first or last word: "mechanisms of action", "clinical trials".
    const forms = one === first || one === last ? formsOf(one.key) : [one.key]
    const gap = gapBefore(term.name, words, index)
    nodes = nodes.flatMap((node) => forms.map((form) => child(node, gap + form)))
  })
  for (const node of nodes) if (node.entries.length < mostAlike) node.entries.push(entry)
}

function child(node: Node, key: string): Node {
  const known = node.next.get(key)
  if (known) return known
  const made: Node = { next: new Map(), entries: [] }
  node.next.set(key, made)
  return made
}

function isAbbreviation(text: string): boolean {
  return text.length > 1 && text === text.toUpperCase() && text !== text.toLowerCase()
}

type Word = { start: number; end: number; key: string }

function wordsOf(text: string): Word[] {
  return Array.from(text.matchAll(word), (found) => ({
    start: found.index,
    end: found.index + found[0].length,
    key: fold(found[0]),
  }))
}

/** Empty before the first word. */
function gapBefore(text: string, words: Word[], index: number): string {
  const [before, here] = [words[index - 1], words[index]]
  return before && here ? foldGap(text.slice(before.end, here.start)) : ''
}

/** Marks terms in the pieces of one text. `found` is shared by the pieces, so that each term is marked once. */
export function markTerms(tree: TermTree, text: string, found: Set<string> = new Set()): TextPart[] {
  const parts: TextPart[] = []
  const words = wordsOf(text)
  let end = 0
  let index = 0
  while (index < words.length && found.size < mostTermsInText && tree.left > 0) {
    const match = longestAt(tree, text, words, { index, end })
    if (!match) {
      index++
      continue
    }
    index = match.lastWord + 1
    // A term that was marked before still keeps shorter terms from being marked inside it.
    if (found.has(match.term.slug)) continue
    found.add(match.term.slug)
    tree.left--
    if (match.start > end) parts.push({ text: text.slice(end, match.start) })
    parts.push({ text: text.slice(match.start, match.end), term: match.term })
    end = match.end
  }
  if (end < text.length) parts.push({ text: text.slice(end) })
  return parts
}

type Match = { term: Term; start: number; end: number; lastWord: number }

/**
 * The longest term that begins with the word at `index`, and not before `end`. The steps are bounded by the length of
 * names, which have at most 65 characters.
 */
function longestAt({ root }: TermTree, text: string, words: Word[], from: { index: number; end: number }) {
  const first = words[from.index]
  let nodes = [root]
  let longest: Match | null = null
  for (let index = from.index; first && nodes.length > 0; index++) {
    const here = words[index]
    if (!here) break
    const gap = here === first ? '' : gapBefore(text, words, index)
    nodes = nodes.flatMap((node) => formsOf(here.key).flatMap((form) => node.next.get(gap + form) ?? []))
    longest = bestOf(text, { first, last: here, lastWord: index, from: from.end }, nodes) ?? longest
  }
  return longest
}

type Place = { first: Word; last: Word; lastWord: number; from: number }

function bestOf(text: string, at: Place, nodes: Node[]): Match | null {
  let best: (Match & { rank: number }) | null = null
  for (const { entries } of nodes) {
    for (const { term, before, after, isAbbreviation } of entries) {
      const start = at.first.start - before.length
      const end = at.last.end + after.length
      if (start < at.from || foldGap(text.slice(start, at.first.start)) !== before) continue
      if (foldGap(text.slice(at.last.end, end)) !== after || isInsideWord(text, start, end)) continue
      const written = text.slice(start, end)
      if (isAbbreviation && !isCapital(written, term.name)) continue
      const rank = 2 * (before.length + after.length) + (fold(written) === fold(term.name) ? 1 : 0)
      if (!best || rank > best.rank) best = { term, start, end, lastWord: at.lastWord, rank }
    }
  }
  return best
}

/** An abbreviation is written in capitals, with or without a small s: "API", "APIs". */
function isCapital(written: string, name: string): boolean {
  return (
    isAbbreviation(written) || (written.endsWith('s') && !name.endsWith('S') && isAbbreviation(written.slice(0, -1)))
  )
}

const joined = /[-\u2010\u2011_@.'\u2019]/
const wordCharacter = /[\p{L}\p{M}\p{Nd}]/u

/** True within "non-clinical", "x.example" or "O'Neill", but not before the 's of "the assay's". */
function isInsideWord(text: string, start: number, end: number): boolean {
  if (joined.test(text[start - 1] ?? '') && wordCharacter.test(text[start - 2] ?? '')) return true
  const joint = text[end] ?? ''
  if (!joined.test(joint) || !wordCharacter.test(text[end + 1] ?? '')) return false
  return !(/['\u2019]/.test(joint) && /^s(?![\p{L}\p{M}\p{Nd}])/iu.test(text.slice(end + 1, end + 3)))
}
