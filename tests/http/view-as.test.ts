/** An admin views the site as a learner: every page of the learner area, and every transport that could change something. */
import { beforeAll, expect, test } from 'vitest'
import { createDatabase } from '~db/client.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { aVideo } from '../support/films.ts'
import { aBrowser, type Browser, startServer, type TestServer, tokenIn } from '../support/http.ts'

let server: TestServer
let admin: Browser
let learner: { uid: string; id: number }
let versionUid: string
let moduleUid: string
let videoUid: string

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    await aUser(db, { email: 'admin@titrate.example', groups: ['admins'], plan: null, firstName: 'Root' })
    // The questionnaire would send this person away from every page.
    learner = await aUser(db, { email: 'ada@titrate.example', firstName: 'Ada', lastName: 'Lovelace', isNew: true })
    ;({ versionUid, uid: moduleUid } = await aModule(await aContext(db), { name: 'Assays' }))
    videoUid = (await aVideo(db, { name: 'Pipetting' })).uid
    await close()
  })
  admin = aBrowser(server)
  await admin.signIn('admin@titrate.example')
  const path = `/dashboard/users/${learner.uid}/view-as/`
  const started = await admin.post(path, { csrf: await admin.token(path), intent: 'confirm' })
  expect([started.status, started.headers.location]).toEqual([302, '/home/'])
})

const sentence = 'You are viewing as Ada Lovelace. Nothing can be changed.'

test('every page of the learner area is shown as theirs, with the banner', async () => {
  for (const path of [
    '/home/',
    '/all-content/',
    '/modules/',
    `/modules/${moduleUid}/`,
    '/launch/',
    '/courses/',
    '/lectures/',
    '/videos/',
    `/videos/${videoUid}/`,
    '/search/?query=assay',
    '/my-learning/in-progress/',
    '/my-learning/completed/',
    '/my-learning/assigned/',
    '/my-learning/saved/',
    '/my-learning/my-messages/',
    '/my-learning/my-profile/',
    '/my-learning/my-account/',
    '/my-progress/',
    '/my-record/',
    '/change-password/',
    '/glossary/',
    '/faq/',
  ]) {
    const { status, text } = await admin.send({ path })
    expect([path, status, text.replaceAll('<!-- -->', '').includes(sentence)]).toEqual([path, 200, true])
  }
  const account = (await admin.send({ path: '/my-learning/my-account/' })).text
  expect(account).toContain('ada@titrate.example')
  expect(account).toContain('Not shown while you view as somebody else.')
  expect(account).not.toMatch(/my-data\.json|Create a token/)
  expect(account).toMatch(/(29|30):\d\d/)
})

test('forms, launches, events, GraphQL and files are refused or leave nothing', async () => {
  const page = (await admin.send({ path: '/my-learning/my-account/' })).text
  const csrf = tokenIn(page)
  const posts: [string, Record<string, string>][] = [
    ['/my-learning/my-account/', { intent: 'opt-out', isOptedOut: 'on' }],
    ['/my-learning/my-account/', { intent: 'end-others' }],
    ['/my-learning/my-profile/', { firstName: 'Eve', lastName: 'Eve' }],
    ['/questionnaire/', {}],
    ['/launch/', { moduleVersionUid: versionUid }],
    [`/videos/${videoUid}/progress/`, { position: '1', duration: '20', played: '' }],
  ]
  for (const [path, fields] of posts) {
    const { status, text } = await admin.post(path, { csrf, ...fields })
    // Pages have the sentence in the banner, too.
    const said = text.replaceAll('<!-- -->', '').split(sentence).length - 1
    expect([path, status, said > (text.startsWith('{') ? 0 : 1)]).toEqual([path, 403, true])
  }
  const saved = await admin.post('/favourites/', { csrf, add: `video:${videoUid}` })
  expect([saved.status, saved.cookies.join().includes('titrate_flash')]).toEqual([302, true])
  const json = { 'content-type': 'application/json', 'x-csrftoken': csrf, 'sec-fetch-site': 'same-origin' }
  const send = (path: string, body: object) =>
    admin.send({ method: 'POST', path, body: JSON.stringify(body), headers: json })
  const update = `mutation { updateUser(data: { id: "${learner.uid}", lastName: "Eve" }) { user { lastName } } }`
  for (const query of [update, `mutation { requestPasswordReset(email: "ada@titrate.example") { status } }`]) {
    const { text } = await send('/graphql/', { query })
    expect([query, text.includes('Nothing can be changed.')]).toEqual([query, true])
  }
  expect((await send('/graphql/', { query: '{ me { email } }' })).text).toContain('ada@titrate.example')
  expect((await send('/event/', { event: 'View Page Home', properties: { path: '/home/' } })).status).toBe(204)
  expect((await send('/uploads/prepare/', { kind: 'csv', fileName: 'x.csv', size: 3 })).status).toBe(403)
  expect((await admin.send({ path: '/my-learning/my-account/my-data.json' })).status).toBe(403)
  const { db } = createDatabase({ connectionString: server.databaseUrl, poolSize: 1 })
  for (const table of ['events', 'visits', 'logins', 'favorites', 'launch_sessions'] as const) {
    const query = db.selectFrom(table).select((eb) => eb.fn.countAll<number>().as('count'))
    const rows = table === 'launch_sessions' ? query : query.where('user_id' as never, '=', learner.id as never)
    expect([table, (await rows.executeTakeFirst())?.count]).toEqual([table, 0])
  }
  const row = db
    .selectFrom('users')
    .select(['last_name', 'last_login_at', 'opted_out_of_emails'])
    .where('id', '=', learner.id)
  expect(await row.executeTakeFirst()).toEqual({
    last_name: 'Lovelace',
    last_login_at: null,
    opted_out_of_emails: false,
  })
  await db.destroy()
})

test('the console is closed until the admin stops, and forms of the view do nothing afterward', async () => {
  const closed = await admin.send({ path: '/dashboard/users/' })
  expect([closed.status, closed.headers.location]).toEqual([302, '/stop-viewing/'])
  const page = (await admin.send({ path: '/stop-viewing/' })).text
  expect(page).toContain('Stop viewing to use it.')
  const ofView = tokenIn((await admin.send({ path: '/my-learning/my-account/' })).text)
  expect((await admin.post('/stop-viewing/', { csrf: 'wrong' })).status).toBe(400)
  const stopped = await admin.post('/stop-viewing/', { csrf: tokenIn(page) })
  expect([stopped.status, stopped.headers.location]).toEqual([302, `/dashboard/users/${learner.uid}/`])
  const history = await admin.send({ path: `/dashboard/users/${learner.uid}/history/` })
  for (const text of ['began to view the site as this person', 'stopped viewing the site as this person'])
    expect(history.text).toContain(text)
  const late = await admin.post('/my-learning/my-account/', { csrf: ofView, intent: 'opt-out', isOptedOut: 'on' })
  expect([late.status, late.text.includes('This page was open for too long.')]).toEqual([400, true])
  expect((await admin.send({ path: '/stop-viewing/' })).headers.location).toBe('/dashboard/users/')
})

test('logging out ends the view, too', async () => {
  const path = `/dashboard/users/${learner.uid}/view-as/`
  await admin.post(path, { csrf: await admin.token(path), intent: 'confirm' })
  const { status, headers } = await admin.post('/logout/', { csrf: await admin.token('/logout/') })
  expect([status, headers.location]).toEqual([302, '/login/'])
  expect((await admin.send({ path: '/home/' })).headers.location).toContain('/login/')
  const { db } = createDatabase({ connectionString: server.databaseUrl, poolSize: 1 })
  expect(await db.selectFrom('session_views').select('user_id').execute()).toEqual([])
  await db.destroy()
})

test('no page of the view wrote anything that the database had to refuse', () => {
  const lines = server.logLines().filter((line) => Number(line.level) >= 40)
  expect(lines, 'refusals').not.toEqual([])
  expect(lines.filter((line) => !String(line.event ?? '').startsWith('security.'))).toEqual([])
})
