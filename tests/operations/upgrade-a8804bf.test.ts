import { test } from 'vitest'
import { expectUpgrade } from '../support/upgrade.ts'

test('a database of a8804bf gets the schema of a new one, and its learner can continue', () =>
  expectUpgrade('a8804bf', { begun: 5, notesParts: true }))
