import { test } from 'vitest'
import { expectUpgrade } from '../support/upgrade.ts'

test('a database of 804b857 gets the schema of a new one, and its learner can continue', () =>
  expectUpgrade('804b857', { begun: 3, notesParts: false }))
