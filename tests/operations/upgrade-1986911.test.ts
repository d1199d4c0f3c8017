import { test } from 'vitest'
import { expectUpgrade } from '../support/upgrade.ts'

test('a database of 1986911 gets the schema of a new one, and its learner can continue', () =>
  expectUpgrade('1986911', { begun: 5, notesParts: true }))
