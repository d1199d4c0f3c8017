import { spawnSync } from 'node:child_process'
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

test('twelve guesses at once get no further than twelve in a row, and a browser that is known goes on', async () => {
  const [own, atWork] = [aBrowser(server), aBrowser(server)]
  expect((await own.signIn('ben@titrate.example')).status).toBe(302)
  await atWork.signIn('ada@titrate.example')
  const cookie = own.jar.get('titrate_browser') ?? ''
  expect(cookie).toMatch(/^[\w-]{48}$/)
  await own.post('/logout/', { csrf: await own.token('/home/') })
  expect([own.jar.has('titrate_session'), own.jar.get('titrate_browser')]).toEqual([false, cookie])
  const replies = await Promise.all(Array.from({ length: 12 }, () => attempt('ben@titrate.example', 'Wrong12345')))
  const statuses = replies.map(({ status }) => status)
  expect([
    statuses.filter((status) => status === 400).length,
    statuses.filter((status) => status === 429).length,
  ]).toEqual([2, 10])
  const refused = replies.find(({ status }) => status === 429)
  expect(refused?.headers['retry-after']).toMatch(/^[1-5]$/)
  expect(refused?.text).toMatch(
    /Too many attempts\. Please wait [1-5] seconds? and try again, or choose a new password/,
  )
  // Until the wait is over, the right password does not help, and a browser known to another account neither …
  expect((await attempt('ben@titrate.example', testPassword)).status).toBe(429)
  await atWork.post('/logout/', { csrf: await atWork.token('/home/') })
  expect((await atWork.signIn('ben@titrate.example')).status).toBe(429)
  // … but the owner's browser does, other people are not refused …
  expect((await own.signIn('ben@titrate.example')).status).toBe(302)
  expect((await attempt('ada@titrate.example', testPassword)).status).toBe(302)
  // … and after the wait anybody with the right password gets in.
  await new Promise((resolve) => setTimeout(resolve, 5000))
  expect((await attempt('ben@titrate.example', testPassword)).status).toBe(302)
  const events = server.logLines().map(({ event }) => event)
  expect(events.filter((event) => event === 'security.attempt.must_wait').length).toBeGreaterThanOrEqual(12)
  expect(events).toContain('security.sign_in.failed')
  expect(server.log()).not.toContain('ben@')
})

test('npm run keys:rotate replaces the keys of a running product: open forms go on, and a second time is refused', async () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['dist/commands.js', 'keys:rotate', ...args], {
      env: { PATH: process.env.PATH, NODE_ENV: 'production', DATABASE_URL: server.databaseUrl, LOG_LEVEL: 'silent' },
      encoding: 'utf8',
    })
  const browser = aBrowser(server)
  const csrf = await browser.token('/login/')
  expect(run()).toMatchObject({ status: 0, stdout: expect.stringContaining('stays valid until 20') })
  const fields = { csrf, username: 'eve@titrate.example', password: testPassword, terms: 'on', next: '' }
  expect((await browser.post('/login/', fields)).status).toBe(302)
  expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining('less than two weeks ago') })
  expect(run('--at-once')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Processes notice within a minute'),
  })
  expect(run('--now')).toMatchObject({ status: 2, stderr: expect.stringContaining('Usage: npm run keys:rotate') })
})
