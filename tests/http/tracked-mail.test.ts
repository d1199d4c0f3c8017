/** `/e/…`, the picture and the links of an email, as mail programs and people fetch them. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test, vi } from 'vitest'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, startServer, type TestServer } from '../support/http.ts'
import { aDraft } from '../support/messages.ts'

let server: TestServer
let close = async () => {}
let mailUid = ''
let link = ''
let counts: () => Promise<Record<'opened' | 'clicked' | 'byMachines', number> | undefined>

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close: end } = await openTestDatabase(url)
    close = end
    const { id } = await aDraft(await aContext(db), { to: [await aUser(db)] })
    const { rows } = await sql<{ mailUid: string; link: string }>`
      with mail as (
        insert into mails (site_id, user_id, announcement_id, recipient_id, kind, subject, state, is_tracked, ended_at)
        select site_id, user_id, announcement_id, id, 'message', 'News', 'accepted', true, now() - interval '1 hour'
        from announcement_recipients where announcement_id = ${id} returning uid),
      link as (
        insert into announcement_links (announcement_id, url) values (${id}, 'https://a.example/x?y=1&z=2')
        returning token)
      select mail.uid as "mailUid", link.token as link from mail, link`.execute(db)
    ;[mailUid, link] = [rows[0]?.mailUid ?? '', rows[0]?.link ?? '']
    counts = async () => {
      const { rows } = await sql<Record<'opened' | 'clicked' | 'byMachines', number>>`
        select count(opened_at)::int as opened, count(clicked_at)::int as clicked,
          count(machine_clicked_at)::int as "byMachines"
        from announcement_recipients where announcement_id = ${id}`.execute(db)
      return rows[0]
    }
  })
  return () => close()
})

const send = (path: string, { method = 'GET', agent = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' } = {}) =>
  aBrowser(server).send({ method, path, headers: { 'user-agent': agent, 'sec-fetch-site': 'cross-site' } })

test('C-279 the picture is always a picture, and counts the opening afterward', async () => {
  for (const path of [`/e/${randomUUID()}.gif`, '/e/x.gif', '/e/.gif', `/e/${mailUid}.gif`]) {
    const answer = await send(path)
    expect([answer.status, answer.headers['content-type']], path).toEqual([200, 'image/gif'])
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.headers['set-cookie']).toBeUndefined()
  }
  await vi.waitFor(async () => expect(await counts()).toMatchObject({ opened: 1, clicked: 0 }))
})

test('C-279 a link leads to its page without saying where from; a HEAD is a machine', async () => {
  const path = `/e/${mailUid}/${link}`
  const head = await send(path, { method: 'HEAD' })
  expect([head.status, head.headers.location]).toEqual([302, 'https://a.example/x?y=1&z=2'])
  await vi.waitFor(async () => expect(await counts()).toMatchObject({ clicked: 0, byMachines: 1 }))
  const answer = await send(path)
  expect([answer.status, answer.headers.location]).toEqual([302, 'https://a.example/x?y=1&z=2'])
  expect(answer.headers['referrer-policy']).toBe('no-referrer')
})

test('C-279 any other address leads to the home of the site, never anywhere else', async () => {
  const others = [
    `/e/${mailUid}/${randomUUID()}`,
    `/e/${randomUUID()}/${link}`,
    `/e/${link}/${mailUid}`,
    `/e/${mailUid}/`,
    `/e/${mailUid}/https://evil.example/`,
    `/e/${mailUid}/${link}/more`,
    `/e/${mailUid}//evil.example?to=https://evil.example`,
    '/e/',
  ]
  for (const path of others) {
    const { status, headers } = await send(path)
    expect([status, headers.location], path).toEqual([302, '/'])
  }
  expect((await send(`/e/${mailUid}/${link}`, { method: 'POST' })).status).toBe(405)
})
