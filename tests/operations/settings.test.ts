import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('docs/operations.md lists every setting, and no other', () => {
  const schema = readFileSync('app/config/env.server.ts', 'utf8')
  const documented = readFileSync('docs/operations.md', 'utf8').split('## Settings')[1]?.split('\n## ')[0] ?? ''
  const known = [...schema.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map((match) => match[1])
  const listed = [...documented.matchAll(/^\| `([A-Z][A-Z0-9_]+)`/gm)].map((match) => match[1])
  expect(known.length).toBeGreaterThan(20)
  expect(listed.sort()).toEqual([...new Set(known)].sort())
})
