import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readEml } from '~/services/mail/eml.ts'
import { createDatabase, type Database } from '~db/client.server.ts'
import { aUser, openTestDatabase, testPassword } from '../support/context.ts'
import { aBrowser, type Browser, type Reply, startServer, type TestServer, tokenIn } from '../support/http.ts'

let server: TestServer
let db: Database

beforeAll(async () => {
  server = await startServer({ LOGIN_ATTEMPTS_PER_15_MIN: '2' }, async (url) => {
    const { db, close } = await openTestDatabase(url)
    for (const name of ['ada', 'ben', 'eve', 'fay', 'gus', 'hal'])
      await aUser(db, { email: `${name}@titrate.example`, groups: ['learners'] })
    await aUser(db, { email: 'admin@titrate.example', groups: ['admins'] })
    await close()
  })
  ;({ db } = createDatabase({ connectionString: server.databaseUrl, poolSize: 2 }))
})
afterAll(() => db.destroy())

const sentence =
  'If an account exists for this email address, you will receive a message with a link to reset your password.'

async function askFor(email: string, headers: Record<string, string> = {}): Promise<Reply> {
  const browser = aBrowser(server, { headers })
  const csrf = await browser.token('/request-password-reset/')
  return browser.post('/request-password-reset/', { csrf, email })
}

/** Waits for the mail that the worker writes for this address. */
async function mailTo(address: string): Promise<string> {
  const folder = path.join('.data', `test-data-http-${server.port}`, 'outbox')
  for (let count = 0; count < 100; count++) {
    for (const name of await readdir(folder).catch(() => [])) {
      if (name.startsWith('.')) continue
      const eml = readEml(await readFile(path.join(folder, name), 'utf8'))
      if (eml.headers.get('to')?.includes(address)) return eml.text
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`No mail for ${address} in ${folder}:\n${server.log().slice(-3000)}`)
}

test('C-166 known, unknown and blocked addresses get the same page', async () => {
  const replies = [await askFor('ada@titrate.example'), await askFor('who@titrate.example')]
  for (let count = 0; count < 3; count++) replies.push(await askFor('who@titrate.example'))
  const plain = ({ text }: Reply) =>
    text.replace(/[\w-]+\.[\w-]{40,}|nonce="[^"]+"|data-request="[^"]+"|(ada|who)@titrate\.example/g, '')
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
  expect(new Set(replies.map(plain)).size).toBe(1)
  expect(replies[0]?.text).toContain(sentence)
})

test('a link in a mail uses the site’s address, whatever host was requested', async () => {
  const browser = aBrowser(server, { host: 'evil.localhost' })
  const csrf = await browser.token('/request-password-reset/')
  expect((await browser.post('/request-password-reset/', { csrf, email: 'ben@titrate.example' })).text).toContain(
    sentence,
  )
  const text = await mailTo('ben@titrate.example')
  expect(text).toContain(`http://localhost:${server.port}/reset-password/`)
  expect(text).not.toContain('evil.localhost')
})

test('a posted reset is refused with the problem, works once, and then the link answers 404 with a message', async () => {
  await askFor('eve@titrate.example')
  const link = /http\S+\/reset-password\/\S+/.exec(await mailTo('eve@titrate.example'))?.[0] ?? ''
  const { pathname } = new URL(link)
  const browser = aBrowser(server)
  const csrf = await browser.token(pathname)
  const weak = await browser.post(pathname, { csrf, password: 'Abcdefg1', password2: 'Abcdefg2' })
  expect([weak.status, weak.text.includes('Passwords do not match'), weak.text.includes('Abcdefg1')]).toEqual([
    400,
    true,
    false,
  ])
  const done = await browser.post(pathname, { csrf, password: 'Patient7Burette', password2: 'Patient7Burette' })
  expect([done.status, done.text.includes('Your password has been reset.')]).toEqual([200, true])
  expect(done.cookies.join()).not.toContain('titrate_session')
  const again = await browser.send({ path: pathname })
  expect([again.status, again.text.includes('was already used')]).toEqual([404, true])
  expect((await aBrowser(server).signIn('eve@titrate.example', { password: testPassword })).status).toBe(400)
  expect((await aBrowser(server).signIn('eve@titrate.example', { password: 'Patient7Burette' })).status).toBe(302)
})

test('after a password change this browser is signed in under a new id, and the other one is signed out', async () => {
  const [here, there] = [aBrowser(server), aBrowser(server)]
  for (const browser of [here, there]) await browser.signIn('fay@titrate.example', { password: testPassword })
  const before = here.jar.get('titrate_session')
  const csrf = await here.token('/change-password/')
  const fields = { csrf, currentPassword: testPassword, password: 'Patient7Burette', password2: 'Patient7Burette' }
  const done = await here.post('/change-password/', fields)
  expect([done.status, done.text.includes('Password has been changed.')]).toEqual([200, true])
  expect(here.jar.get('titrate_session')).not.toBe(before)
  expect((await here.send({ path: '/home/' })).status).toBe(200)
  expect((await there.send({ path: '/home/' })).headers.location).toBe('/login/?next=%2Fhome%2F')
  const refused = await here.post('/change-password/', { ...fields, csrf: await here.token('/change-password/') })
  expect(refused.text).toContain('Current password is incorrect.')
  expect(refused.status).toBe(400)
  // L-252: a request that fails is answered with the server's first sentence, too.
  const stale = await here.post('/change-password/', { ...fields, csrf: 'stale' })
  expect(stale.text).toContain('This page was open for too long.')
})

test('without a session there is no page for changing a password, and a post changes nothing', async () => {
  const browser = aBrowser(server)
  for (const reply of [
    await browser.send({ path: '/change-password/' }),
    await browser.post('/change-password/', { currentPassword: testPassword, password: 'x', password2: 'x' }),
  ]) {
    expect([reply.status, reply.headers.location?.replace('&ended', '')]).toEqual([
      302,
      '/login/?next=%2Fchange-password%2F',
    ])
  }
})

test('a disabled person is signed out at the next request', async () => {
  const browser = aBrowser(server)
  await browser.signIn('gus@titrate.example', { password: testPassword })
  expect((await browser.send({ path: '/home/' })).status).toBe(200)
  await db.updateTable('users').set({ is_active: false }).where('email', '=', 'gus@titrate.example').execute()
  expect((await browser.send({ path: '/home/' })).headers.location).toBe('/login/?next=%2Fhome%2F')
})

test('whoever was logged in here before reads so on the way to a page, and strangers do not', async () => {
  const notice = 'You are no longer logged in. Log in to continue.'
  const [next, plain] = ['/login/?next=%2Fhome%2F', '/login/']
  const reads = async (browser: Browser, path: string) => (await browser.send({ path })).text.includes(notice)
  const browser = aBrowser(server)
  expect(await reads(browser, next)).toBe(false)
  await browser.signIn('hal@titrate.example', { password: testPassword })
  await db.deleteFrom('sessions').execute()
  expect([await reads(browser, next), await reads(browser, plain)]).toEqual([true, false])
  // After two weeks the browser has dropped the cookie of the session too.
  browser.jar.delete('titrate_session')
  expect([await reads(browser, next), await reads(browser, plain)]).toEqual([true, false])
})

test('C-121 C-184 C-185 C-186 C-268 an empty login says at each field what is missing, and a wrong one keeps everything but the password', async () => {
  const browser = aBrowser(server)
  const page = (await browser.send({ path: '/login/' })).text
  expect(page).not.toMatch(/<input[^>]*type="checkbox"[^>]*checked=""/)
  const csrf = tokenIn(page)
  const empty = await browser.post('/login/', { csrf, username: '', password: '', next: '' })
  expect(empty.status).toBe(400)
  for (const text of [
    'Please correct 3 fields.',
    'Please enter an email address',
    'Please enter a password',
    'Please agree to Terms and Conditions',
  ]) {
    expect(empty.text).toContain(text)
  }
  const typed = { username: 'nobody@titrate.example', password: 'Wrong7Horse', terms: 'on', next: '' }
  const wrong = await browser.post('/login/', { csrf, ...typed })
  expect(wrong.status).toBe(400)
  expect(wrong.text).toContain('The email address or password is incorrect.')
  expect(wrong.text).toContain('value="nobody@titrate.example"')
  expect(wrong.text).not.toContain('Wrong7Horse')
  expect(wrong.text).toMatch(/<input[^>]*type="checkbox"[^>]*checked=""/)
})

test('after too many tries, the answer says when to come back', async () => {
  const replies: Reply[] = []
  for (let count = 0; count < 3; count++) {
    replies.push(await aBrowser(server).signIn('ada@titrate.example', { password: 'Wrong7Horse' }))
  }
  expect(replies.at(-1)?.status).toBe(429)
  expect(replies.at(-1)?.headers['retry-after']).toMatch(/^[1-5]$/)
  const guessed: Reply[] = []
  for (let count = 0; count < 3; count++)
    guessed.push(await aBrowser(server).send({ path: `/reset-password/x/${count}/` }))
  expect(guessed[0]?.status).toBe(404)
  expect([guessed.at(-1)?.status, guessed.at(-1)?.headers['retry-after']]).toEqual([
    429,
    expect.stringMatching(/^[1-5]$/),
  ])
  expect(guessed.at(-1)?.text).toMatch(/Too many attempts\. Please wait [1-5] seconds? and try again\./)
}, 60_000)

test('a post to an address that takes none gets a page in the brand', async () => {
  for (const [path, status] of [
    ['/terms/', 405],
    ['/nothing/here/', 404],
    ['/reset-password/', 404],
  ] as const) {
    const reply = await aBrowser(server).post(path, {})
    expect([path, reply.status]).toEqual([path, status])
    expect(reply.text).toContain('Page Not Found.')
    expect(reply.text).toContain('support@titrate.example')
    expect(reply.text).toContain('<title>Titrate : Page Not Found</title>')
  }
})

test('the outbox is for admins, without the links of other people', async () => {
  const admin = aBrowser(server)
  await admin.signIn('admin@titrate.example', { password: testPassword })
  const list = await admin.send({ path: '/dashboard/outbox/' })
  expect(list.text).toContain('Reset your Titrate password')
  const path = /href="(\/dashboard\/outbox\/[^"]+\/)"/.exec(list.text)?.[1] ?? ''
  const mail = await admin.send({ path })
  expect([mail.status, /\/(reset-password|confirm-invitation)\//.test(mail.text)]).toEqual([200, false])
  expect((await admin.send({ path: '/dashboard/outbox/nothing/' })).status).toBe(404)
  const learner = aBrowser(server)
  await learner.signIn('ben@titrate.example', { password: testPassword })
  for (const forbidden of ['/dashboard/outbox/', path]) {
    expect((await learner.send({ path: forbidden })).status).toBe(403)
  }
})

test('a page has every character that it should have, wherever React divides it', async () => {
  const browser = aBrowser(server)
  const csrf = await browser.token('/login/')
  for (let before = 0; before < 3; before++) {
    const username = `${'x'.repeat(before)}${'’'.repeat(600)}`
    const { status, text } = await browser.post('/login/', { csrf, username, password: '', next: '' })
    expect([status, text.includes('\0')]).toEqual([400, false])
    expect(text).toContain(`value="${username}"`)
  }
})
