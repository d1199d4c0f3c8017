import { expect, test } from 'vitest'
import { chooseText, parseAcceptLanguage } from '~/lib/language.ts'

const many = { 'en-US': 'color', 'es-MX': 'color (es)', und: 'any' }

test.each([
  ['fr, es', 'color (es)'],
  ['es;q=0.5, en-GB', 'color'],
  ['EN-us', 'color'],
  ['en-GB-oxendict', 'color'],
  ['fr', 'any'],
  ['*', 'any'],
  ['', 'any'],
])('cmi5 13.1: for a reader of "%s" the text is "%s"', (header, text) => {
  expect(chooseText(many, header)).toBe(text)
})

test('without a match and without an untagged text, the first text is used', () => {
  expect(chooseText({ fr: 'couleur', de: 'Farbe' }, 'en')).toBe('couleur')
  expect(chooseText({}, 'en')).toBe('')
})

test('requested languages are ordered by their weight', () => {
  expect(parseAcceptLanguage('de;q=0.3, *;q=0.9, en ;q=0.8,fr, it;q=0')).toEqual(['fr', 'en', 'de'])
  expect(parseAcceptLanguage('')).toEqual([])
})
