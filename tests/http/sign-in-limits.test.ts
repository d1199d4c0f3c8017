import { beforeAll, expect, test } from 'vitest'
import { aUser, openTestDatabase, testPassword } from '../support/context.ts'
import { aBrowser, startServer, type TestServer } from '../support/http.ts'

let server: TestServer

beforeAll(async () => {
  server = await startServer({ LOGIN_ATTEMPTS_PER_15_MIN: '2' }, async (url) => {
    const { db, close } = await openTestDatabase(url)
    for (const name of ['ada', 'ben', 'eve']) await aUser(db, { email: `${name}@titrate.example` })
    await close()
  })
})

const attempt = async (email: string, password: string) => {
  const browser = aBrowser(server)
  const csrf = await browser.token('/login/')
  return browser.post('/login/', { csrf, username: email, password, terms: 'on', next: '' })
}

test('many people who sign in from one network are not treated as an attack', async () => {
  for (let count = 0; count < 12; count++) expect((await attempt('eve@titrate.example', testPassword)).status).toBe(302)
  const started = Date.now()
  expect((await attempt('eve@titrate.example', testPassword)).status).toBe(302)
  expect(Date.now() - started).toBeLessThan(15_000)
})

test('known and unknown addresses are refused with the same message', async () => {
  const [known, unknown] = [
    await attempt('ada@titrate.example', 'Wrong12345'),
    await attempt('who@titrate.example', 'Wrong12345'),
  ]
  const plain = (text: string) =>
    text.replace(/[\w-]+\.[\w-]{40,}|nonce="[^"]+"|data-request="[^"]+"|(ada|who)@titrate\.example/g, '')
  expect(plain(known?.text ?? '')).toBe(plain(unknown?.text ?? ''))
})

test('twelve guesses at once get no further than twelve in a row', async () => {
  const replies = await Promise.all(Array.from({ length: 12 }, () => attempt('ben@titrate.example', 'Wrong12345')))
  const statuses = replies.map(({ status }) => status)
  expect([
    statuses.filter((status) => status === 400).length,
    statuses.filter((status) => status === 429).length,
  ]).toEqual([4, 8])
  expect(replies.find(({ status }) => status === 429)?.text).toContain(
    'Too many attempts. Please wait a few minutes and try again.',
  )
  // From there, the right password does not help …
  expect((await attempt('ben@titrate.example', testPassword)).status).toBe(429)
  // … and people elsewhere are not refused.
  expect((await attempt('ada@titrate.example', testPassword)).status).toBe(302)
})
