/** `/u/{token}` as people, mail programs and scanners call it. */
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, startServer, type TestServer } from '../support/http.ts'

let server: TestServer
let token = ''
let close = async () => {}
let isOptedOut: () => Promise<boolean | undefined>

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close: end } = await openTestDatabase(url)
    close = end
    const { id } = await aUser(db)
    const { rows } = await sql<{ token: string }>`
      insert into mails (site_id, user_id, kind, subject, state)
      select site_id, id, 'message', 'News', 'accepted' from users where id = ${id} returning token`.execute(db)
    token = rows[0]?.token ?? ''
    isOptedOut = async () => {
      const { rows } = await sql<{ isOut: boolean }>`
        select opted_out_of_emails as "isOut" from users where id = ${id}`.execute(db)
      return rows[0]?.isOut
    }
  })
  return () => close()
})

const send = (method: string, path = `/u/${token}`) =>
  aBrowser(server).send({
    method,
    path,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
    ...(method === 'POST' && { body: 'List-Unsubscribe=One-Click' }),
  })

test('a GET shows a button and changes nothing; a POST acts without cookie or token, also twice', async () => {
  const shown = await send('GET')
  expect(shown.status).toBe(200)
  expect(shown.text).toContain('<form method="post">')
  expect(shown.headers['set-cookie']).toBeUndefined()
  await send('HEAD')
  expect(await isOptedOut()).toBe(false)
  for (let time = 1; time <= 2; time++) {
    const done = await send('POST')
    expect(done.status).toBe(200)
    expect(done.text).toContain('You will no longer get messages by email.')
  }
  expect(await isOptedOut()).toBe(true)
  expect((await send('GET')).text).not.toContain('<form')
})

test('other links and methods are refused with a sentence', async () => {
  for (const path of ['/u/', '/u/nonsense', `/u/${token.replace(/^./, 'x')}`, `/u/${token}/more`]) {
    const answer = await send('POST', path)
    expect(answer.status, path).toBe(404)
    expect(answer.text).toContain('no longer works')
  }
  expect((await send('DELETE')).status).toBe(405)
})
