import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseEnv } from '~/config/env.server.ts'
import { recordStoreOf } from '~/config/forwarding.ts'

test('docs/operations.md lists every setting and no other', () => {
  const schema = readFileSync('app/config/env.server.ts', 'utf8')
  const documented = readFileSync('docs/operations.md', 'utf8').split('## Settings')[1]?.split('\n## ')[0] ?? ''
  const known = [...schema.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map((match) => match[1])
  const listed = [...documented.matchAll(/^\| `([A-Z][A-Z0-9_]+)`/gm)].map((match) => match[1])
  expect(known.length).toBeGreaterThan(20)
  expect(listed.sort()).toEqual([...new Set(known)].sort())
})

test('an impossible setting is named in one sentence', () => {
  const parse = (variables: Record<string, string>) => () => parseEnv({ DATABASE_URL: 'postgres://x/y', ...variables })
  for (const value of ['1', 'true', 'proxy.example.org', '10.0.0.0/33', '10.0.0.1,,']) {
    expect(parse({ TRUST_PROXY: value })).toThrow(
      'TRUST_PROXY must hold addresses or ranges such as 10.0.0.0/8, or loopback.',
    )
  }
  for (const value of ['', 'loopback', '10.0.0.1', '10.0.0.0/8, ::1', 'loopback, fd00::/8'])
    parse({ TRUST_PROXY: value })()
})

test('another record store needs all three settings and an address that keeps its key safe', () => {
  const parse = (variables: Record<string, string>) => parseEnv({ DATABASE_URL: 'postgres://x/y', ...variables })
  const refused = (variables: Record<string, string>) => () => parse(variables)
  const all = { LRS_FORWARD_URL: 'https://lrs.example.org/xapi', LRS_FORWARD_KEY: 'key', LRS_FORWARD_SECRET: 'a:b c' }
  for (const url of [
    'lrs.example.org',
    'http://lrs.example.org/xapi/',
    'http://10.0.0.1/xapi/',
    'http://localhost.example.org/',
    'https://key:secret@lrs.example.org/',
    'https://lrs.example.org/xapi/?a=b',
    'https://lrs.example.org/xapi/#a',
    'ftp://lrs.example.org/',
  ]) {
    expect(refused({ ...all, LRS_FORWARD_URL: url }), url).toThrow(
      /^LRS_FORWARD_URL must be the address of a record store/,
    )
  }
  for (const url of ['http://localhost:8080/xapi', 'http://127.0.0.1/', 'http://[::1]:1/', all.LRS_FORWARD_URL]) {
    expect(parse({ ...all, LRS_FORWARD_URL: url }).LRS_FORWARD_URL).toBe(url.replace(/\/?$/, '/'))
  }
  expect(refused({ ...all, LRS_FORWARD_KEY: 'a:b' })).toThrow('LRS_FORWARD_KEY must have no colon')
  expect(refused({ ...all, LRS_FORWARD_SECRET: 'a\nb' })).toThrow('LRS_FORWARD_SECRET must have no control')
  expect(refused({ ...all, LRS_FORWARD_KEY: '' })).toThrow(
    'LRS_FORWARD_KEY is missing: LRS_FORWARD_URL, LRS_FORWARD_KEY, LRS_FORWARD_SECRET belong together.',
  )
  expect(refused({ NS_LRS_FORWARD_SECRET: 'x' })).toThrow('NS_LRS_FORWARD_URL and NS_LRS_FORWARD_KEY are missing')
  expect(recordStoreOf(parse(all), 'ns')).toBeNull()
  expect(recordStoreOf(parse(all), 'institutional')).toEqual({
    url: 'https://lrs.example.org/xapi/',
    key: 'key',
    secret: 'a:b c',
  })
})
