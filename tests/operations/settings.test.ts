import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseEnv } from '~/config/env.server.ts'

test('docs/operations.md lists every setting, and no other', () => {
  const schema = readFileSync('app/config/env.server.ts', 'utf8')
  const documented = readFileSync('docs/operations.md', 'utf8').split('## Settings')[1]?.split('\n## ')[0] ?? ''
  const known = [...schema.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map((match) => match[1])
  const listed = [...documented.matchAll(/^\| `([A-Z][A-Z0-9_]+)`/gm)].map((match) => match[1])
  expect(known.length).toBeGreaterThan(20)
  expect(listed.sort()).toEqual([...new Set(known)].sort())
})

test('a setting that cannot be right is named in one sentence', () => {
  const parse = (variables: Record<string, string>) => () => parseEnv({ DATABASE_URL: 'postgres://x/y', ...variables })
  for (const value of ['1', 'true', 'proxy.example.org', '10.0.0.0/33', '10.0.0.1,,']) {
    expect(parse({ TRUST_PROXY: value })).toThrow(
      'TRUST_PROXY must hold addresses or ranges such as 10.0.0.0/8, or loopback.',
    )
  }
  for (const value of ['', 'loopback', '10.0.0.1', '10.0.0.0/8, ::1', 'loopback, fd00::/8'])
    parse({ TRUST_PROXY: value })()
})
