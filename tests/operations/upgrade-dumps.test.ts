import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'

test('each version that people may upgrade from has a dump and a test', () => {
  const dumps = readdirSync('tests/fixtures/upgrade').flatMap((name) => /^(\w{7})\.sql\.gz$/.exec(name)?.[1] ?? [])
  expect(dumps).toEqual(expect.arrayContaining(['804b857', 'a8804bf', '1986911', '8928eac']))
  expect(readdirSync('tests/operations')).toEqual(expect.arrayContaining(dumps.map((one) => `upgrade-${one}.test.ts`)))
})
