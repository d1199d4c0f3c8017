/** Manage Users with plain forms, as without JavaScript. */
import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test, vi } from 'vitest'
import { ensureUniversity } from '~/services/institutions/institutions.server.ts'
import { readEml } from '~/services/mail/eml.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, type Browser, startServer, type TestServer, tokenIn } from '../support/http.ts'

let server: TestServer
let admin: Browser
let author: Browser
let nsAdmin: Browser
let personUid: string
let personEmail: string
let nsPersonUid: string
let moduleUid: string
let openUid: string
const path = '/dashboard/users/'

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    await aUser(db, { email: 'author@titrate.example', groups: ['authors'] })
    await aUser(db, { email: 'admin@titrate.example', groups: ['admins'], firstName: 'Root' })
    ;({ uid: personUid, email: personEmail } = await aUser(db, {
      email: 'grace@titrate.example',
      firstName: 'Grace',
      lastName: 'Hopper',
    }))
    await ensureUniversity(await aContext(db), { name: 'Helvik University' })
    moduleUid = (await aModule(await aContext(db), { name: 'Assays & more', plan: 'Free Access' })).uid
    openUid = (await aModule(await aContext(db), { name: 'Binding' })).uid
    nsPersonUid = (await aUser(db, { site: 'ns', firstName: 'Nina' })).uid
    await aUser(db, { site: 'ns', email: 'admin@ns.example', groups: ['admins'] })
    await close()
  })
  ;[author, admin] = [aBrowser(server), aBrowser(server)]
  nsAdmin = aBrowser(server, { host: server.host().replace('localhost', 'ns.localhost') })
  await nsAdmin.signIn('admin@ns.example')
  await author.signIn('author@titrate.example')
  await admin.signIn('admin@titrate.example')
})

async function pageAt(to: string): Promise<string> {
  const { status, text } = await admin.send({ path: to })
  expect(status, to).toBe(200)
  return text.replaceAll('<!-- -->', '')
}

/** Posts the form of a page with what it holds, and returns the answer and the page that it leads to. */
async function press(from: string, fields: Record<string, string>, to = from) {
  const page = await pageAt(from)
  const opened = /name="opened" value="([^"]*)"/.exec(page)?.[1]?.replaceAll('&quot;', '"')
  const revision = /name="revision" value="(\d+)"/.exec(page)?.[1]
  const hidden = { ...(opened && { opened }), ...(revision && { revision }) }
  const reply = await admin.post(to, { csrf: tokenIn(page), ...hidden, ...fields })
  const next = reply.headers.location
  return { status: reply.status, page: next ? await pageAt(String(next)) : reply.text.replaceAll('<!-- -->', '') }
}

test('C-013 authors do not see it, and the tabs and the search are plain links and forms', async () => {
  const refused = await author.send({ path })
  expect(refused.text).toContain('Sorry, you do not have access to this page.')
  expect(refused.text).not.toContain('Hopper')
  const learners = await pageAt(path)
  expect(learners).toContain('Learners (1)')
  expect(learners).toContain('Grace Hopper')
  expect(learners).not.toContain('Root Okafor')
  expect(await pageAt(`${path}?tab=admins`)).toContain('Root Okafor')
  const found = await pageAt(`${path}?tab=admins&search=nobody`)
  for (const tab of ['', 'tab=pending&amp;']) expect(found).toContain(`href="${path}?${tab}search=nobody"`)
  expect(found).toContain('Nothing found for “nobody”')
  expect(found).toContain('You can also look under')
  expect(found).toContain('name="tab" value="admins"')
  expect((await admin.send({ path: `${path}not-a-uid/` })).status).toBe(404)
  // C-274: how long a page of each table may be.
  expect(sizesIn(learners)).toEqual(['10', '20'])
})

function sizesIn(page: string): (string | undefined)[] {
  const select = /<select [^>]*name="size".*?<\/select>/s.exec(page)?.[0] ?? ''
  return [...select.matchAll(/<option value="(\d+)"/g)].map(([, size]) => size)
}

const typed = {
  firstName: 'Grace',
  lastName: 'Hopper',
  university: 'Helvik University',
  isLearner: 'on',
  accessPlanUid: '',
  subscriptionType: '',
  renewal: 'auto',
  duration: '1',
  unit: 'Y',
}

test('L-201 a refused profile keeps what was typed; a saved one is shown', async () => {
  const here = `${path}${personUid}/`
  const refused = await press(here, { ...typed, firstName: 'Typed', university: '' }, `${here}?index`)
  expect(refused.status).toBe(400)
  for (const text of ['Institution is required', 'Access Plan is required', 'Subscription Type is required', 'Typed'])
    expect(refused.page).toContain(text)
  const saved = await press(here, { ...typed, isAdmin: 'on', firstName: 'Amazing' }, `${here}?index`)
  expect(saved.page).toContain('User has been updated.')
  expect(saved.page).toContain('Amazing Hopper')
  expect(await pageAt(`${here}history/`)).toContain('first name')
})

test('the other tabs of the dialog, and its account', async () => {
  const here = `${path}${personUid}/`
  expect(await pageAt(`${here}messages/`)).toContain('No messages have been sent to this person.')
  expect(await pageAt(`${here}sessions/`)).toContain('This person is not logged in anywhere.')
  expect(await pageAt(`${here}progress/?of=courses&list=assigned`)).toContain('Assigned')
  const disabled = await press(`${here}account/disable/`, { intent: 'confirm' })
  expect(disabled.page).toContain('The account has been disabled.')
  const pending = await pageAt(`${path}?tab=pending`)
  expect(pending).toContain('Disabled')
  expect(sizesIn(pending), 'C-274').toEqual(['10', '20'])
  const undone = await press(here, { intent: 'undo' }, undoIn(disabled.page))
  expect(undone.page).toContain('The account has been enabled.')
  expect(undone.page).not.toContain(`action="${here}account/`)
  const again = await press(`${here}account/enable/`, { intent: 'confirm' })
  expect(again.page).toContain('The account was already enabled.')
  const other = here.replace(personUid, randomUUID())
  const lost = await press(path, { intent: 'undo' }, `${other}account/enable/`)
  expect(lost.page).toContain('<h1>Manage Users</h1>')
  expect(lost.page).toContain('This user no longer exists.')
  expect((await admin.send({ path: `${here}account/nonsense/` })).status).toBe(404)
})

const undoIn = (page: string) =>
  /action="([^"]*\/account\/enable\/[^"]*)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''

test('Undo of Disable leaves an account alone that was disabled again since', async () => {
  const here = `${path}${personUid}/`
  const disable = () => press(`${here}account/disable/?search=hopper`, { intent: 'confirm' })
  const first = undoIn((await disable()).page)
  expect(first).toContain('search=hopper')
  await press(`${here}account/enable/`, { intent: 'confirm' })
  const second = undoIn((await disable()).page)
  for (const old of [first, `${here}account/enable/`, `${here}account/enable/?disabled=x`]) {
    const { page } = await press(here, { intent: 'undo' }, old)
    expect(page, old).toContain('There is nothing left to undo.')
    expect(await pageAt(`${path}?tab=pending`), old).toContain('Hopper')
  }
  expect((await press(here, { intent: 'undo' }, second)).page).toContain('The account has been enabled.')
  expect((await press(here, { intent: 'undo' }, second)).page).toContain('There is nothing left to undo.')
})

test('C-171 a due date and a note: assigned, refused, searched with, changed, shown to the learner, filtered and undone', async () => {
  const { text } = await admin.send({ path: `${path}?search=hopper` })
  expect(text.replaceAll('<!-- -->', '')).not.toContain('Assign content to all')
  const chosen = await admin.post(`${path}assign/?search=hopper`, { csrf: tokenIn(text), found: '1' })
  const here = String(chosen.headers.location)
  const operation = new URLSearchParams(here.split('?')[1]).get('operation') ?? ''
  const form = { operation, item: `module:${openUid}`, note: 'Before <the> talk' }
  const past = await press(here, { ...form, dueOn: '2020-01-01', intent: 'assign' })
  expect([past.status, past.page.includes('Please choose today or a later day.')]).toEqual([400, true])
  expect(past.page).toContain('Before &lt;the&gt; talk')
  const searched = await press(here, { ...form, dueOn: '2099-03-01', find: 'bind', intent: 'find' })
  expect(searched.page).toContain('value="2099-03-01"')
  expect(searched.page).toContain('Before &lt;the&gt; talk')
  const done = await press(here, { ...form, dueOn: '2099-03-01', intent: 'assign' })
  expect(done.page).toContain('Assigned 1 item to 1 person.')
  expect(done.page).toContain(`action="${path}assigned/${operation}/?search=hopper"`)
  const used = await admin.send({ path: here })
  expect([used.status, used.headers.location]).toEqual([302, `${path}assigned/${operation}/?search=hopper`])
  expect(await pageAt(String(used.headers.location))).toContain('1 person assigned content')
  const due = `${path}${personUid}/due/modules/${openUid}/`
  const list = await pageAt(`${path}${personUid}/progress/?of=modules&list=assigned`)
  expect(list).toContain('Due Mar 1, 2099')
  expect(list).toContain(`href="${due}"`)
  const opened = { openedDueOn: '2099-03-01', openedNote: 'Before <the> talk' }
  const saved = await press(due, { ...opened, dueOn: '2099-04-02', note: 'Before <the> talk', intent: 'save' })
  expect(saved.page).toContain('The due date and note have been saved.')
  const stale = await press(due, { ...opened, dueOn: '2099-05-03', note: 'Before <the> talk', intent: 'save' })
  expect([stale.status, stale.page.includes('It is Apr 2, 2099 now.')]).toEqual([422, true])
  expect(stale.page).toContain('name="openedDueOn" value="2099-04-02"')
  expect(stale.page).toContain('value="2099-05-03"')
  expect((await admin.send({ path: `${path}${personUid}/due/films/${openUid}/` })).status).toBe(404)
  expect((await admin.send({ path: `${path}${personUid}/due/modules/x/` })).status).toBe(404)
  const learner = aBrowser(server)
  await learner.signIn('grace@titrate.example')
  const seen = async (to: string) => (await learner.send({ path: to })).text.replaceAll('<!-- -->', '')
  expect(await seen('/my-learning/assigned/')).toContain('<strong>Due Apr 2, 2099</strong> · Module, assigned')
  expect(await seen(`/modules/${openUid}/`)).toContain('Before &lt;the&gt; talk')
  expect(await pageAt(`${path}?filter=due-late`)).not.toContain('Hopper')
  expect(await pageAt(`${path}assigned/`)).toContain(`href="${path}assigned/${operation}/"`)
  const undone = await press(`${path}assigned/${operation}/`, { intent: 'undo' })
  expect([undone.status, undone.page.includes('There is nothing left to undo.')], 'changed by hand since').toEqual([
    422,
    true,
  ])
  expect((await nsAdmin.send({ path: `${path}assigned/${operation}/` })).status).toBe(404)
})

/** The path of the link in the mail to this address, which the worker sends. */
function linkTo(address: string, word: string): Promise<string> {
  const folder = join('.data', `test-data-http-${server.port}`, 'outbox')
  return vi.waitFor(
    async () => {
      for (const name of (await readdir(folder)).filter((name) => name.endsWith('.eml') && !name.startsWith('.'))) {
        const eml = readEml(await readFile(join(folder, name), 'utf8'))
        const link = new RegExp(`http\\S+(/${word}/\\S+)`).exec(eml.text)?.[1]
        if (link && eml.headers.get('to')?.includes(address)) return link
      }
      throw new Error(`There is no mail to ${address}`)
    },
    { timeout: 15_000, interval: 100 },
  )
}

test('a new address waits until it is confirmed, and the old one can keep the account: pages without a login', async () => {
  const dialog = `${path}${personUid}/account/email/`
  const refused = await press(dialog, { email: 'abc@', intent: 'save' })
  expect(refused.status).toBe(400)
  for (const text of ['A valid email address is required', 'value="abc@"']) expect(refused.page).toContain(text)
  const asked = await press(dialog, { email: 'grace.new@titrate.example', intent: 'save' })
  expect(asked.page).toContain('The new address gets a mail with a link to confirm it.')
  expect(asked.page).toContain('Waiting for confirmation at grace.new@titrate.example')
  expect(await pageAt(dialog)).toContain('It can be sent again an hour after the last mail.')
  expect((await press(dialog, { intent: 'again' })).page).toContain('less than an hour ago')

  const visitor = aBrowser(server)
  const open = async (link: string) => {
    const page = await visitor.send({ path: link })
    expect(page.text).toContain('<meta name="robots" content="noindex"/>')
    return page
  }
  const confirm = await linkTo('grace.new@titrate.example', 'confirm-address')
  const page = await open(confirm)
  expect([page.status, page.text.includes('grace.new@titrate.example')]).toEqual([200, true])
  expect(await pageAt(`${path}${personUid}/`), 'opening a link does nothing').toContain('Waiting for confirmation')
  expect((await visitor.post(confirm, {})).status, 'without a token').toBe(400)
  const confirmed = await visitor.post(confirm, { csrf: tokenIn(page.text) })
  expect(confirmed.text).toContain('You can log in with it.')
  expect(await pageAt(`${path}${personUid}/`)).not.toContain('Waiting for confirmation')
  const keep = await linkTo(personEmail, 'keep-address')
  const kept = await visitor.post(keep, { csrf: tokenIn((await open(keep)).text) })
  expect(kept.text).toContain('Your account has this email address again.')
  expect((await open(keep)).text).toContain('Your account has this email address again.')
  expect(await pageAt(`${path}${personUid}/history/`)).toContain('Email address kept by an objection')
  const wrong = await visitor.send({ path: '/keep-address/x/y/' })
  expect([wrong.status, wrong.text.includes('This link is invalid or has expired.')]).toEqual([404, true])
})

test('C-094 C-263 C-088 deleting needs the typed word, and can be undone', async () => {
  const here = `${path}${personUid}/delete/`
  const refused = await press(here, { confirmation: 'Delete', intent: 'delete' })
  expect([refused.status, refused.page.includes('Please enter the confirmation text above')]).toEqual([400, true])
  const deleted = await press(here, { confirmation: 'DELETE', intent: 'delete' })
  expect(deleted.page).toContain('User &quot;Amazing Hopper&quot; has been deleted')
  expect((await admin.send({ path: `${path}${personUid}/` })).status).toBe(404)
  expect(await pageAt(path)).toContain('href="/dashboard/trash/?filter=kind-user"')
  expect(await pageAt('/dashboard/trash/?filter=kind-user')).toContain(`Amazing Hopper (${personEmail})`)
  const back = await admin.post(`${path}${personUid}/restore/`, { csrf: tokenIn(deleted.page) })
  expect(await pageAt(String(back.headers.location))).toContain('is back.')
  expect(await pageAt('/dashboard/trash/?filter=kind-user')).not.toContain('Amazing Hopper')
})

test('C-087 C-264 invitations are sent again by a plain form', async () => {
  const nobody = await press(`${path}?tab=pending`, {}, `${path}?tab=pending`)
  expect(nobody.page).toContain('Choose at least one user.')
})

/** Selects somebody, and returns the address of the dialog. */
async function selectForAssignment(browser: Browser, userUid: string): Promise<string> {
  const { text } = await browser.send({ path })
  const { headers } = await browser.post(`${path}assign/?size=20`, { csrf: tokenIn(text), uid: userUid })
  return String(headers.location)
}

test('C-086 C-095 content is assigned with plain forms; what is ticked survives a search', async () => {
  expect(await pageAt(path)).toContain('Assign content')
  expect(await pageAt(`${path}?tab=admins`)).not.toContain('Assign content')
  expect(await pageAt(`${path}assign/`)).toContain('Nobody is selected')
  const nobody = await press(path, {}, `${path}assign/`)
  expect([nobody.status, nobody.page.includes('Select one or more learners')]).toEqual([400, true])
  const none = await press(`${path}?search=nowhere`, { found: '1' }, `${path}assign/?search=nowhere`)
  expect([none.status, none.page.includes('The filters find nobody.')]).toEqual([400, true])
  for (const { page } of [nobody, none]) expect(page).not.toContain('correct one field')
  const here = await selectForAssignment(admin, personUid)
  expect(here).toContain('&size=20')
  const operation = new URLSearchParams(here.split('?')[1]).get('operation') ?? ''
  const opened = await pageAt(here)
  expect(opened).toContain('Assays &amp; more')
  expect(opened).toContain('No courses have been published yet.')
  const item = `module:${moduleUid}`
  const found = await press(here, { operation, item, find: 'nowhere', intent: 'find' })
  expect(found.page).toContain('Nothing found for “nowhere”')
  expect(found.page).toContain('Also selected')
  expect(found.page).toMatch(new RegExp(`checked=""[^>]*value="${item}"|value="${item}"[^>]*checked=""`))
  const nothing = await press(here, { operation, intent: 'assign' })
  expect([nothing.status, nothing.page.includes('Select one or more modules or courses.')]).toEqual([400, true])
  expect((await press(here, { operation, item, intent: 'assign' })).page).toContain('Assigned 1 item to 1 person.')
})

test('C-097 L-256 what everybody has is taken back in the dialog, and plans that leave it out are named', async () => {
  const here = await selectForAssignment(admin, personUid)
  const operation = new URLSearchParams(here.split('?')[1]).get('operation') ?? ''
  const opened = await pageAt(here)
  expect(opened).toContain('User doesn&#x27;t have access to this item')
  expect(opened).toContain(`value="unassign:module:${moduleUid}"`)
  const taken = await press(here, { operation, intent: `unassign:module:${moduleUid}` })
  expect(taken.page).toContain('Unassigned module: Assays &amp; more')
  expect(taken.page).toContain(`name="item" value="module:${moduleUid}"`)
  const gone = { operation, intent: `unassign:module:${personUid}`, [`name:module:${personUid}`]: 'module: Gone' }
  expect((await press(here, gone)).page).toContain('Error Unassigning module: Gone')
})

test('C-002 on the other brand it is recommended, and a selection of one site is nothing on the other', async () => {
  const here = await selectForAssignment(nsAdmin, nsPersonUid)
  const dialog = (await nsAdmin.send({ path: here })).text
  expect(dialog).toContain('Recommend Content')
  expect(dialog).not.toMatch(/Assign content|Unassign|Assign Content/)
  expect((await admin.send({ path: here })).status).toBe(404)
  // C-271: what fails names the item with the verb of the site.
  const operation = new URLSearchParams(here.split('?')[1]).get('operation') ?? ''
  const gone = { operation, intent: `unassign:course:${nsPersonUid}`, [`name:course:${nsPersonUid}`]: 'course: Gone' }
  const failed = await nsAdmin.post(here, { csrf: tokenIn(dialog), ...gone })
  expect(failed.text).toContain('Error Unrecommending course: Gone')
})

test('access plans are added, refused, renewed and retired with plain forms', async () => {
  const here = '/dashboard/plans/'
  expect((await author.send({ path: here })).text).toContain('Sorry, you do not have access to this page.')
  const uid = /name="uid" value="([^"]*)"/.exec(await pageAt(`${here}new/`))?.[1] ?? ''
  const refused = await press(`${here}new/`, { uid, name: ' ', isPublic: 'on' })
  expect(refused.status).toBe(400)
  expect(refused.page).toContain('Name is required')
  const added = await press(`${here}new/`, { uid, name: 'Summer <School>', isPublic: 'on' })
  expect(added.page).toContain('Plan “Summer &lt;School&gt;” has been added.')
  const saved = await press(`${here}${uid}/`, { uid, name: 'Summer School' })
  expect(saved.page).toContain('Plan “Summer School” has been saved.')
  expect(saved.page).toContain('not public')
  const renewal = { window: '30', duration: '1', unit: 'Y', intent: 'preview' }
  expect((await press(`${here}${uid}/renew/`, { ...renewal, duration: '0' })).page).toContain(
    'Duration must be a positive',
  )
  expect((await press(`${here}${uid}/renew/`, renewal)).page).toContain(
    'No learner of Summer School is in this period.',
  )
  // What nobody has seen the consequences of is not done.
  expect((await press(`${here}${uid}/renew/`, { ...renewal, intent: 'renew' })).page).toContain('No learner of')
  expect((await press(`${here}${uid}/retire/`, { intent: 'retire' })).page).toContain(
    'Plan “Summer School” has been retired.',
  )
  expect(await pageAt('/dashboard/users/invite/')).not.toContain(`<option value="${uid}"`)
  expect((await nsAdmin.send({ path: `${here}${uid}/` })).status).toBe(404)
})

test('the page of groups says what they may do, and why somebody can see something', async () => {
  const here = '/dashboard/groups/'
  const page = await pageAt(here)
  expect(page).toContain('Create, change, publish and remove modules')
  expect((await author.send({ path: `${here}why/` })).text).toContain('Sorry, you do not have access to this page.')
  const found = await pageAt(`${here}why/?who=hopper&kind=modules&what=assays`)
  expect(found).toContain(`person=${personUid}`)
  expect(found).toContain(`item=${moduleUid}`)
  const answer = await pageAt(`${here}why/?person=${personUid}&kind=modules&item=${moduleUid}`)
  expect(answer).toContain('can open “Assays &amp; more”.')
  expect(answer).toContain('Admins and authors see all content, including drafts, without an access plan.')
  expect(await pageAt(`${here}why/?person=${nsPersonUid}&kind=x`)).not.toContain('Nina')
  expect((await admin.send({ path: `${here}why/?person=${nsPersonUid}&item=${moduleUid}` })).status).toBe(404)
})
