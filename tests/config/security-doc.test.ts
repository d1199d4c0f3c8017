import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const text = readFileSync('docs/security.md', 'utf8')

test('docs/security.md names tests that exist', () => {
  const named = [...new Set([...text.matchAll(/`(tests\/[\w/.-]+)`/g)].map((match) => match[1] ?? ''))]
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((file) => !existsSync(file))).toEqual([])
})

test('docs/security.md lists every security event and no other', () => {
  const source = readFileSync('app/services/audit/security-events.server.ts', 'utf8')
  const inCode = [...source.matchAll(/'([a-z_]+\.[a-z_]+)'/g)].map((match) => match[1])
  const table = text.split('| `event` begins with')[1]?.split('\n\n')[0] ?? ''
  const listed = [...table.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map((match) => match[1])
  expect(listed.sort()).toEqual([...new Set(inCode)].sort())
})
