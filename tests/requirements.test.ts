import { expect, test } from 'vitest'
import { brokenReferencesIn, findBrokenReferences, idsIn, readRequirements } from '../scripts/requirements.mjs'

test('each reference to a requirement in the repository names an id in docs/requirements', () => {
  expect(findBrokenReferences()).toEqual([])
})

test('an id belongs to one requirement', () => {
  const ids = readRequirements().map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(800)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(ids.filter((id) => !/^[LAC]-\d{3}$/.test(id))).toEqual([])
})

test('a range includes the ids between its ends', () => {
  // The ids are assembled here, because the report reads this file too.
  const id = (number: number) => `A-${String(number).padStart(3, '0')}`
  const text = `See ${id(98)} to ${id(101)}, ${id(7)} and ${id(10)}.`
  expect([...idsIn(text)].sort()).toEqual([7, 10, 98, 99, 100, 101].map(id))
})

test('a reference to a paper that is not in the repository is found', () => {
  // Put together here, since the check reads this file too.
  const paper = (name: string, part: string) => `(${name}, ${part})`
  const known = new Set<string>()
  expect(brokenReferencesIn(`Who may ${paper('design', 'section 3')}`, known)).toHaveLength(1)
  expect(brokenReferencesIn(`Posts ${paper('decisions', 'learner 15')} too`, known)).toHaveLength(1)
  expect(brokenReferencesIn('See (architecture, rule 7) and the design of the page', known)).toEqual([])
})
