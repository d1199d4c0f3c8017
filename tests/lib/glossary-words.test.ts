import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { firstWordsOf, markTerms, mostTermsInText, mostTermsOnPage, termTree } from '~/lib/glossary-words.ts'
import { slugOf } from '~/lib/slugs.ts'

const termsOf = (...names: string[]) =>
  names.map((name, index) => ({ slug: `${slugOf(name, 'term')}-${index}`, name, definition: `What ${name} means.` }))

/** The text with its terms in brackets. */
function marked(names: string[], text: string): string {
  const parts = markTerms(termTree(termsOf(...names)), text)
  return parts.map(({ text, term }) => (term ? `[${text}]` : text)).join('')
}

describe('terms are found', () => {
  test.each([
    ['ignoring case', ['Biomarker'], 'A BIOMARKER is', 'A [BIOMARKER] is'],
    ['at the beginning and the end', ['assay', 'dose'], 'Assay or dose', '[Assay] or [dose]'],
    ['in the plural', ['Biomarker'], 'two biomarkers.', 'two [biomarkers].'],
    ['in the singular', ['Biomarkers'], 'one biomarker.', 'one [biomarker].'],
    ['in the plural of -y', ['Therapy'], 'new therapies', 'new [therapies]'],
    ['in the plural of -ss', ['Class'], 'two classes', 'two [classes]'],
    ['in the plural of -us', ['Virus'], 'two viruses', 'two [viruses]'],
    ['in the plural of -ysis', ['Analysis'], 'two analyses', 'two [analyses]'],
    ['in the plural of the first word', ['Mechanism of action'], 'Mechanisms of action', '[Mechanisms of action]'],
    ['across a line end', ['Clinical trial'], 'a clinical\ntrial', 'a [clinical\ntrial]'],
    ['with a hyphen for a blank', ['Dose response'], 'the dose-response curve', 'the [dose-response] curve'],
    ['with a blank for a hyphen', ['Dose-response'], 'the dose response', 'the [dose response]'],
    ['before a possessive s', ['Assay'], 'the assay’s result', 'the [assay]’s result'],
    ['with an apostrophe of either kind', ["Crohn's disease"], 'Crohn’s disease', '[Crohn’s disease]'],
    ['in brackets and quotes', ['Assay'], '(“assay”)', '(“[assay]”)'],
    ['before a slash', ['Drug'], 'drug/device', '[drug]/device'],
    ['with signs at the end', ['C++', 'C'], 'C++ and C', '[C++] and [C]'],
    [
      'with brackets of their own',
      ['AUC (area under the curve)'],
      'AUC (area under the curve).',
      '[AUC (area under the curve)].',
    ],
    ['in other scripts', ['Доза'], 'Эта доза', 'Эта [доза]'],
    ['with marks on letters', ['Ménière'], 'Ménière', '[Ménière]'],
    ['as abbreviations', ['API'], 'API and api', '[API] and api'],
    ['as abbreviations in the plural', ['API'], 'two APIs', 'two [APIs]'],
    ['the longest first', ['Trial', 'Clinical trial', 'Clinical'], 'A clinical trial', 'A [clinical trial]'],
    ['shorter if the rest differs', ['Clinical', 'Clinical trial phase'], 'a clinical trial', 'a [clinical] trial'],
    ['once', ['Dose'], 'A dose, the dose, doses', 'A [dose], the dose, doses'],
    ['with the exact name before its plural', ['Datas', 'Data'], 'data', '[data]'],
  ])('%s', (_, names, text, expected) => {
    expect(marked(names, text)).toBe(expected)
  })
})

describe('terms are not found', () => {
  test.each([
    ['inside a word', ['rate'], 'accurate, rated, rat'],
    ['inside a word with a hyphen', ['clinical'], 'non-clinical'],
    ['before a hyphen', ['dose'], 'dose-dependent'],
    ['in addresses', ['example'], 'www.example.com, me@example.com'],
    ['in a name with an apostrophe', ['Neill'], 'O’Neill'],
    ['before a contraction', ['don'], 'don’t'],
    ['across the end of a sentence', ['Phase two'], 'in this phase. Two more'],
    ['as words, if they are abbreviations', ['WHO', 'IT'], 'Who is it?'],
    ['without their signs', ['C++'], 'vitamin C'],
    ['without letters', ['+', '…'], 'a + b …'],
    ['in the plural of something else', ['Clas'], 'class'],
  ])('%s', (_, names, text) => {
    expect(marked(names, text)).toBe(text)
  })

  test('a shorter term is not marked inside a longer one that was marked before', () => {
    expect(marked(['Trial', 'Clinical trial'], 'clinical trial, clinical trial, trial')).toBe(
      '[clinical trial], clinical trial, [trial]',
    )
  })

  test('overlapping signs belong to the first term', () => {
    expect(marked(['a!', '!b'], 'a!b')).toBe('[a!]b')
  })
})

test('a text has at most 20 terms, and a page 60', () => {
  const names = Array.from({ length: 100 }, (_, index) => `word${index}`)
  const tree = termTree(termsOf(...names))
  const count = (text: string) => markTerms(tree, text).filter(({ term }) => term).length
  expect(count(names.join(' '))).toBe(mostTermsInText)
  expect(Array.from({ length: 5 }, () => count(names.join(' '))).reduce((sum, one) => sum + one)).toBe(
    mostTermsOnPage - mostTermsInText,
  )
})

const syllable = fc.constantFrom('a', 'b', 's', 'es', 'ies', 'y', 'A', 'é', 'ß', '1')
const gap = fc.constantFrom(' ', '-', '’', '. ', '(', ')', '\n', '+', '_')
const anyText = fc.array(fc.oneof(syllable, gap), { maxLength: 40 }).map((parts) => parts.join(''))
const seed = 20261124

test('whatever the texts and terms: the parts are the text, terms are there once, and the names are in it', () => {
  const property = fc.property(fc.array(anyText, { maxLength: 12 }), anyText, (names, text) => {
    const parts = markTerms(termTree(termsOf(...names)), text)
    expect(parts.map((part) => part.text).join('')).toBe(text)
    const found = parts.flatMap(({ term }) => term?.slug ?? [])
    expect(new Set(found).size).toBe(found.length)
    expect(parts.every((part) => part.text !== '')).toBe(true)
  })
  fc.assert(property, { seed, numRuns: 2000 })
})

test('whatever the terms: what is looked up in the database contains the first word of each term that is found', () => {
  // As the generated column of the database has it.
  const storedKey = (name: string) => /[\p{L}\p{Nd}]+/u.exec(name.normalize('NFKC').toLowerCase())?.[0]
  const property = fc.property(fc.array(anyText, { minLength: 1, maxLength: 12 }), anyText, (names, text) => {
    const keys = new Set(firstWordsOf([text]))
    for (const { term } of markTerms(termTree(termsOf(...names)), text)) {
      if (term) expect(keys).toContain(storedKey(term.name))
    }
  })
  fc.assert(property, { seed, numRuns: 2000 })
})

describe('the work grows with the text only', () => {
  afterEach(() => vi.restoreAllMocks())

  function stepsFor(names: string[], text: string): number {
    const tree = termTree(termsOf(...names))
    const steps = vi.spyOn(Map.prototype, 'get')
    markTerms(tree, text)
    const count = steps.mock.calls.length
    steps.mockRestore()
    return count
  }

  const many = Array.from({ length: 5000 }, (_, index) => `term${index} of many words`)
  const prose = Array.from({ length: 3000 }, (_, index) => `word${index}`).join(' ')

  test('5,000 terms take no more steps than 50', () => {
    expect(stepsFor(many, prose)).toBe(stepsFor(many.slice(0, 50), prose))
  })

  test.each([
    ['a name of one word again and again', [Array(32).fill('a').join(' ')], 'a '.repeat(10_000)],
    [
      'names that begin alike',
      Array.from({ length: 30 }, (_, i) =>
        Array(i + 2)
          .fill('as')
          .join(' '),
      ),
      'as '.repeat(6000),
    ],
    ['plurals of plurals', [Array(10).fill('sses').join(' '), 'sses sses'], 'sses '.repeat(4000)],
    ['one endless word', ['a'], 'a'.repeat(20_000)],
    ['signs without a word', ['a'], '-'.repeat(20_000)],
  ])('%s', (_, names, text) => {
    const words = text.trim().split(' ').length
    expect(stepsFor(names, text)).toBeLessThanOrEqual(words * 33 * 3)
  })

  test('a text of any length looks up a limited number of words', () => {
    const text = Array.from({ length: 50_000 }, (_, index) => `w${index}`).join(' ')
    expect(firstWordsOf([text]).length).toBeLessThanOrEqual(10_000 * 6)
  })
})
