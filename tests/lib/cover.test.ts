import { expect, test } from 'vitest'
import { coverAddress, drawCover, hash } from '~/lib/cover.ts'

test('a name always gets the same picture, and the address contains everything that it is drawn from', () => {
  expect(coverAddress('First in Human', 'deliver', 'ns')).toBe(coverAddress('First in Human', 'deliver', 'ns'))
  expect(coverAddress('First in Human', 'deliver', 'ns')).toMatch(/^\/covers\/ns\/deliver\/[0-9a-f]{1,8}\.svg$/)
  expect(drawCover(hash('First in Human'), 'deliver', 'ns')).toBe(drawCover(hash('First in Human'), 'deliver', 'ns'))
})

test('two names rarely share a picture, and each motif is used', () => {
  const pictures = new Set<string>()
  for (let i = 0; i < 400; i++) pictures.add(drawCover(hash(`Module ${i}`), 'discover', 'titrate'))
  expect(pictures.size).toBe(400)
})

test('every picture has exactly one thing in the color of the indicator, and no invalid number', () => {
  for (let seed = 0; seed < 400; seed++) {
    const picture = drawCover(seed * 7919, 'develop', 'titrate')
    expect(picture.match(/fill="(?:#d93a49|#ff8a8f)"/g) ?? [], picture).toHaveLength(1)
    expect(picture).not.toMatch(/NaN|undefined|Infinity/)
  }
})
