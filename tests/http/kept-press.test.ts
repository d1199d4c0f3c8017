import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type Database } from '~db/client.server.ts'
import { aModule, type TestModule } from '../support/cmi5.ts'
import { aContext, aUser, openTestDatabase, testPassword } from '../support/context.ts'
import { aBrowser, type Browser, startServer, type TestServer } from '../support/http.ts'

/** What a person presses after the session has ended is explained, and done after signing in again. */
let server: TestServer
let db: Database
let module: TestModule

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    for (const name of ['ada', 'ben', 'eve', 'fay']) await aUser(db, { email: `${name}@titrate.example` })
    module = await aModule(await aContext(db))
    await close()
  })
  ;({ db } = createDatabase({ connectionString: server.databaseUrl, poolSize: 2 }))
})
afterAll(() => db.destroy())

const email = (name: string) => `${name}@titrate.example`

async function savedBy(name: string): Promise<number> {
  const rows = await db
    .selectFrom('favorites')
    .innerJoin('users', 'users.id', 'favorites.user_id')
    .select('favorites.user_id')
    .where('users.email', '=', email(name))
    .execute()
  return rows.length
}

/** Signs in, opens a page, signs out in another tab, and presses Save on the page that is still open. */
async function pressTooLate(name: string, pressed: Record<string, string>): Promise<Browser> {
  const browser = aBrowser(server)
  await browser.signIn(email(name), { password: testPassword })
  const csrf = await browser.token('/modules/')
  await browser.post('/logout/', { csrf })
  const referer = `http://${server.host()}/modules/?page=1`
  const reply = await browser.post('/favourites/', { csrf, from: '/modules/?page=1', ...pressed }, { referer })
  expect([reply.status, reply.headers.location]).toEqual([302, '/login/?next=%2Fmodules%2F%3Fpage%3D1&ended'])
  return browser
}

const plain = (text: string) => text.replace(/<!-- -->/g, '')

test('a Save button that is pressed after the session has ended works after signing in again, once', async () => {
  const browser = await pressTooLate('ada', { add: `module:${module.uid}` })
  expect(await savedBy('ada')).toBe(0)
  const page = await browser.send({ path: '/login/?next=%2Fmodules%2F%3Fpage%3D1&ended' })
  expect(plain(page.text)).toContain('Your session has ended. Log in to continue. What you pressed will be done then.')
  const wrong = await browser.signIn(email('ada'), { password: 'Wrong7Horse', next: '/modules/?page=1' })
  expect([wrong.status, await savedBy('ada')]).toEqual([400, 0])
  const entered = await browser.signIn(email('ada'), { next: '/modules/?page=1#save' })
  expect([entered.status, entered.headers.location]).toEqual([302, '/modules/?page=1#save'])
  expect(await savedBy('ada')).toBe(1)
  expect((await browser.send({ path: '/modules/?page=1' })).text).toContain('Saved. You can find it in My Learning.')
  await browser.post('/favourites/', { csrf: await browser.token('/modules/'), remove: `module:${module.uid}` })
  await browser.signIn(email('ada'), { next: '/modules/?page=1' })
  expect(await savedBy('ada')).toBe(0)
})

test('a module that is started after the session has ended opens after signing in again', async () => {
  const browser = aBrowser(server)
  await browser.signIn(email('ada'), { password: testPassword })
  const csrf = await browser.token('/modules/')
  await browser.post('/logout/', { csrf })
  const versionUid = randomUUID()
  const reply = await browser.post('/launch/', { csrf, intent: 'start', moduleVersionUid: versionUid })
  const address = `/login/?next=%2Fmodules%2F%3Flaunch%3D${versionUid}&ended`
  expect([reply.status, reply.headers.location]).toEqual([302, address])
  expect(plain((await browser.send({ path: address })).text)).toContain('What you pressed will be done then.')
})

test('what was pressed is forgotten by whoever goes elsewhere after signing in', async () => {
  const browser = await pressTooLate('ben', { add: `module:${module.uid}` })
  await browser.signIn(email('ben'), { next: '/home/' })
  expect(browser.jar.has('titrate_press')).toBe(false)
  expect(await savedBy('ben')).toBe(0)
})

test('nothing else is kept, and the page says that the change was not saved', async () => {
  for (const pressed of [{ add: 'module:x' }, { add: `user:${module.uid}` }, { nothing: 'x' }] as Record<
    string,
    string
  >[]) {
    const browser = await pressTooLate('eve', pressed)
    expect(browser.jar.has('titrate_press'), JSON.stringify(pressed)).toBe(false)
    const page = await browser.send({ path: '/login/?next=%2Fmodules%2F&ended' })
    expect(plain(page.text)).toContain('Your session has ended. Log in to continue. Your last change was not saved.')
  }
})

test('a cookie that somebody made up does nothing, and what is gone is said', async () => {
  for (const made of [
    'x',
    'add.module.y./modules/',
    `add.module:${module.uid}./modules/`,
    `9999999999.add.module:${module.uid}./modules/`,
    `add.module:${module.uid}.//evil.example/`,
    'add.module:../../x./modules/',
  ]) {
    const browser = aBrowser(server)
    browser.jar.set('titrate_press', encodeURIComponent(made))
    const entered = await browser.signIn(email('fay'), { next: '/modules/' })
    expect([entered.status, entered.headers.location, await savedBy('fay')], made).toEqual([302, '/modules/', 0])
  }
  const gone = await pressTooLate('fay', { add: 'module:00000000-0000-4000-8000-000000000000' })
  expect((await gone.signIn(email('fay'), { next: '/modules/?page=1' })).status).toBe(302)
  expect(await savedBy('fay')).toBe(0)
})

test('a press that was planted or has been done before is not done', async () => {
  const { jar } = await pressTooLate('fay', { add: `module:${module.uid}` })
  const press = jar.get('titrate_press') ?? ''
  expect(press).not.toBe('')
  const other = aBrowser(server)
  const enter = async () => {
    other.jar.set('titrate_press', press)
    return (await other.signIn(email('fay'), { next: '/modules/?page=1' })).status
  }
  expect([await enter(), other.jar.has('titrate_press'), await savedBy('fay')]).toEqual([302, false, 0])
  const ben = await pressTooLate('ben', { add: `module:${module.uid}` })
  const own = ben.jar.get('titrate_press') ?? ''
  await ben.signIn(email('ben'), { next: '/modules/?page=1' })
  await ben.post('/favourites/', { csrf: await ben.token('/modules/'), remove: `module:${module.uid}` })
  expect(await savedBy('ben')).toBe(0)
  await ben.post('/logout/', { csrf: await ben.token('/modules/') })
  ben.jar.set('titrate_press', own)
  await ben.signIn(email('ben'), { next: '/modules/?page=1' })
  expect(await savedBy('ben')).toBe(0)
})
