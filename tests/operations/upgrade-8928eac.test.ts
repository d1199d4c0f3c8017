import { test } from 'vitest'
import { expectUpgrade } from '../support/upgrade.ts'

test('a database of 8928eac gets the schema of a new one, and its learner can continue, with the email that was sent', () =>
  expectUpgrade('8928eac', { begun: 5, notesParts: true, emails: 2 }))
