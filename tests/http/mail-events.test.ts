/** `/mail-events/` as the program that sends our mails calls it, and as somebody who is not that program. */
import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../support/context.ts'
import { aBrowser, startServer, type TestServer } from '../support/http.ts'

const secret = 'a secret of the program that sends mails'
let server: TestServer
let close = async () => {}
let token = ''
let stateOf: () => Promise<string | undefined>

beforeAll(async () => {
  server = await startServer({ MAIL_EVENTS_SECRET: secret }, async (url) => {
    const { db, close: end } = await openTestDatabase(url)
    close = end
    const { rows } = await sql<{ token: string }>`
      insert into mails (site_id, kind, subject, state, address, address_key)
      select id, 'message', 'News', 'accepted', 'ada@titrate.example', 'ada@titrate.example'
      from sites where key = 'institutional' returning token`.execute(db)
    token = rows[0]?.token ?? ''
    stateOf = async () => {
      const { rows } = await sql<{ state: string }>`select state from mails where token = ${token}`.execute(db)
      return rows[0]?.state
    }
  })
  return () => close()
})

type Own = {
  body?: string
  at?: number
  key?: string
  signature?: string
  method?: string
  path?: string
  host?: string
}

function report({
  at = Date.now() / 1000,
  key = secret,
  method = 'POST',
  path = '/mail-events/',
  host,
  ...own
}: Own = {}) {
  const body =
    own.body ??
    JSON.stringify({ kind: 'bounce', permanent: true, mail: token, recipient: 'ada@titrate.example', words: '550 no' })
  const time = String(Math.trunc(at))
  const signature = own.signature ?? `sha256=${createHmac('sha256', key).update(`${time}.${body}`).digest('hex')}`
  const headers = { 'x-titrate-timestamp': time, 'x-titrate-signature': signature }
  return aBrowser(server).send({ method, path, headers, ...(host && { host }), ...(method === 'POST' && { body }) })
}

test('what is not signed, signed with another secret, old, altered, too large or no report changes nothing', async () => {
  const signed = createHmac('sha256', secret).update('1.{}').digest('hex')
  const refused: [Own, number, string][] = [
    [{ signature: '' }, 401, 'missing or wrong'],
    [{ signature: signed }, 401, 'missing or wrong'],
    [{ signature: `sha256=${signed}` }, 401, 'missing or wrong'],
    [{ key: 'another secret of thirty-two characters' }, 401, 'missing or wrong'],
    [{ at: Date.now() / 1000 - 400 }, 401, 'five minutes'],
    [{ at: Date.now() / 1000 + 400 }, 401, 'five minutes'],
    [{ body: '[]' }, 400, 'JSON object'],
    [{ body: '{"kind"' }, 400, 'JSON object'],
    [{ body: '{}' }, 400, 'kind must be'],
    [{ body: ' '.repeat(64_001) }, 413, '64 KB'],
    [{ method: 'GET' }, 405, 'Only POST'],
    [{ path: '/mail-events/more' }, 404, 'Not found'],
  ]
  for (const [own, status, words] of refused) {
    const answer = await report(own)
    expect(answer.status, words).toBe(status)
    expect(JSON.parse(answer.text).message, words).toContain(words)
  }
  expect(await stateOf()).toBe('accepted')
})

test('a signed report is recorded without a cookie, once, and only on its site', async () => {
  const abroad = await report({ host: `ns.localhost:${server.port}` })
  expect(JSON.parse(abroad.text)).toMatchObject({ isRecorded: false })
  expect(await stateOf()).toBe('accepted')
  const answers = await Promise.all(Array.from({ length: 10 }, () => report()))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(answers.filter(({ text }) => JSON.parse(text).isRecorded)).toHaveLength(1)
  expect(answers[0]?.headers['set-cookie']).toBeUndefined()
  expect(await stateOf()).toBe('bounced')
})
