/** The console's pages over HTTP: who may open which section, and the table that the server sends. */
import { beforeAll, expect, test } from 'vitest'
import { brands } from '~/config/brands.ts'
import { caseKey, searchKey } from '~/lib/text.ts'
import type { Database } from '~db/client.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, type Browser, startServer, type TestServer } from '../support/http.ts'

let server: TestServer
let learner: Browser
let author: Browser
let admin: Browser
let nsAdmin: Browser

beforeAll(async () => {
  server = await startServer({ LOG_LEVEL: 'info' }, async (url) => {
    const { db, close } = await openTestDatabase(url)
    const { siteId } = await aUser(db, { email: 'learner@titrate.example' })
    await aUser(db, { email: 'author@titrate.example', groups: ['authors'] })
    await aUser(db, { email: 'admin@titrate.example', groups: ['admins'] })
    const names = Array.from({ length: 25 }, (_, index) => `Sample ${String(index).padStart(2, '0')}`)
    await db
      .insertInto('modules')
      .values(names.map((name) => ({ site_id: siteId, name, name_key: caseKey(name), search_key: searchKey(name) })))
      .execute()
    await aUser(db, { site: 'ns', email: 'admin@ns.example', groups: ['admins'] })
    await aRatedModule(db)
    await close()
  })
  ;[learner, author, admin] = [aBrowser(server), aBrowser(server), aBrowser(server)]
  nsAdmin = aBrowser(server, { host: server.host().replace('localhost', 'ns.localhost') })
  await nsAdmin.signIn('admin@ns.example')
  await learner.signIn('learner@titrate.example')
  await author.signIn('author@titrate.example')
  await admin.signIn('admin@titrate.example')
})

/** A published module in its third version, by Ada Lovelace, which one person has completed with 66.6 %. */
async function aRatedModule(db: Database): Promise<void> {
  const { id } = await aModule(await aContext(db), { name: 'Rated' })
  const ada = await aUser(db, { groups: ['authors'], firstName: 'Ada', lastName: 'Lovelace' })
  await db.updateTable('module_versions').set({ version: 3, author_id: ada.id }).where('module_id', '=', id).execute()
  await db
    .insertInto('module_progress')
    .values({ site_id: ada.siteId, module_id: id, user_id: ada.id, completed_at: new Date(), highest_score: 66.6 })
    .execute()
}

const built = [
  'reports',
  'messages',
  'users',
  'institutions',
  'plans',
  'groups',
  'audiences',
  'tags',
  'courses-page',
  'modules-page',
  'glossary',
  'mails',
  'suppressed',
  'outbox',
  'audit-log',
  'settings',
  'statements',
]

test('C-013 C-018 A-011 an author has no access to the sections of admins', async () => {
  for (const id of built) {
    const { status, text } = await author.send({ path: `/dashboard/${id}/` })
    expect(status, id).toBe(403)
    expect(text, id).toContain('Sorry, you do not have access to this page.')
  }
})

test('A-010, C-008 unknown sections redirect to the modules, and deeper addresses do not exist', async () => {
  const { status, headers } = await admin.send({ path: '/dashboard/nonsense/' })
  expect([status, headers.location]).toEqual([302, '/dashboard/modules/'])
  const { text } = await admin.send({ path: '/dashboard/modules/' })
  expect(text).toContain('There is no such section in the console.')
  for (const id of built) expect((await admin.send({ path: `/dashboard/${id}/` })).status, id).toBe(200)
  expect((await author.send({ path: '/dashboard/modules/no/such/place/' })).status).toBe(404)
})

/** What the navigation of a console page shows: headings, labels, and the address of the current section. */
async function navigationAt(browser: Browser, path: string) {
  const { text } = await browser.send({ path })
  const nav = /<nav class="consolenav"[^>]*>(.*?)<\/nav>/s.exec(text)?.[1] ?? ''
  const all = (pattern: RegExp) => [...nav.matchAll(pattern)].map(([, found = '']) => found.replace('&amp;', '&'))
  const current = all(/<a ([^>]*aria-current="page"[^>]*)>/g).map((link) => /href="([^"]*)"/.exec(link)?.[1])
  return { headings: all(/<h2>([^<]*)<\/h2>/g), labels: all(/<a [^>]*>.*?<span>([^<]*)<\/span>/gs), current }
}

test('A-009 A-010 A-007 authors see the learning content, and admins the sections in their groups', async () => {
  expect(await navigationAt(author, '/dashboard/modules/')).toEqual({
    headings: ['Reporting & Communication', 'Learning Content'],
    labels: ['Overview', 'Courses', 'Modules', 'Lectures', 'Videos', 'Schedule', 'Trash'],
    current: ['/dashboard/modules/'],
  })
  const ofAdmin = await navigationAt(admin, '/dashboard/outbox/')
  expect(ofAdmin.headings).toEqual([
    'Reporting & Communication',
    'Learning Content',
    'LMS Users',
    'Page Content',
    'Administration',
  ])
  expect(ofAdmin.labels).toHaveLength(24)
  expect(ofAdmin.current).toEqual(['/dashboard/outbox/'])
  // The account menu leads staff to the console, and nobody else.
  for (const [browser, isStaff] of [
    [author, true],
    [learner, false],
  ] as const) {
    expect((await browser.send({ path: '/terms/' })).text.includes('href="/dashboard/"')).toBe(isStaff)
  }
  const bare = await author.send({ path: '/dashboard/modules' })
  expect([bare.status, bare.headers.location]).toEqual([308, '/dashboard/modules/'])
})

test('A-202 C-017 L-144 a learner gets the Access Error, and no rows', async () => {
  const page = await learner.send({ path: '/dashboard/modules/' })
  expect(page.status).toBe(403)
  expect(page.text).toContain('You are not currently logged in under an admin account')
  expect(page.text).toContain('make sure you are logged in as an admin to access this page.')
  expect(page.text).not.toContain('aria-label="Console"')
  expect(page.text).not.toContain('Sample 00')
  for (const query of ['', '?uids=1', '?since=1700000000000-x', '?after=x']) {
    expect((await learner.send({ path: `/dashboard/modules-rows/${query}` })).status, query).toBe(403)
  }
})

test('the server sends the page in the address, whatever the address contains', async () => {
  const namesAt = async (query: string) => {
    const { status, text } = await author.send({ path: `/dashboard/modules/${query}` })
    expect(status, query).toBe(200)
    return [...text.matchAll(/<a class="name"[^>]*>(Sample \d\d)<\/a>/g)].map(([, name]) => name)
  }
  expect(await namesAt('?search=sample&sort=-name&page=3')).toEqual([
    'Sample 04',
    'Sample 03',
    'Sample 02',
    'Sample 01',
    'Sample 00',
  ])
  expect(await namesAt('?search=sample&size=20')).toHaveLength(20)
  const strange = '?search=sample&sort=drop&page=-1&size=1000&filter=x-y&filter=status&columns=%3Cscript%3E'
  expect(await namesAt(strange)).toHaveLength(10)
  expect(await namesAt(`?search=${encodeURIComponent(`%_\\ '"<b>${'x'.repeat(500)}`)}`)).toEqual([])
})

test('an address with a page that does not exist leads to the last page', async () => {
  const { status, headers } = await author.send({ path: '/dashboard/modules/?search=sample&page=99&sort=-name' })
  const to = new URL(String(headers.location), 'http://x')
  expect([status, to.pathname, to.searchParams.get('page')]).toEqual([302, '/dashboard/modules/', '3'])
  expect([to.searchParams.get('search'), to.searchParams.get('sort')]).toEqual(['sample', '-name'])
  expect((await author.send({ path: to.pathname + to.search })).status).toBe(200)
  const none = await author.send({ path: '/dashboard/modules/?search=nothing-like-it&page=99' })
  expect([none.status, none.headers.location]).toEqual([302, '/dashboard/modules/?search=nothing-like-it'])
  const asData = await author.send({ path: '/dashboard/modules.data?search=sample&page=99' })
  expect(asData.text).toContain('/dashboard/modules/?search=sample&page=3')
})

test('filter values that no option has are left out of the address', async () => {
  const address = '/dashboard/modules/?search=sample&filter=section-nope&filter=status-draft&filter=status-x'
  const { status, headers } = await author.send({ path: address })
  expect([status, headers.location]).toEqual([302, '/dashboard/modules/?search=sample&filter=status-draft'])
  expect((await author.send({ path: String(headers.location) })).status).toBe(200)
})

/** The texts of the heads and of the cells of a table, row by row. */
function tableIn(text: string) {
  const plain = (cell: string) =>
    cell
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
  const table = /<table class="datagrid.*?<\/table>/s.exec(text.replaceAll('<!-- -->', ''))?.[0] ?? ''
  const rows = [...table.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<t[hd][ >].*?<\/t[hd]>/gs)].map(([cell]) => plain(cell)),
  )
  return { heads: rows[0] ?? [], rows: rows.slice(1), table }
}

test('C-100 C-101 C-103 C-145 the table of modules: its columns, how they are written, and what a row offers', async () => {
  const { heads, rows, table } = tableIn((await author.send({ path: '/dashboard/modules/?search=rated' })).text)
  expect(heads).toEqual([
    'Selected',
    'Name',
    'Status',
    'Tags',
    'Courses',
    'Groups with Access',
    'Author',
    'Version',
    'Last Updated',
    'Completions',
    'Avg. score',
    'Actions',
  ])
  expect(rows).toHaveLength(1)
  expect(rows[0]).toEqual(expect.arrayContaining(['Published', 'View', 'Full Access', 'Ada L.', 'v3', '1', '67%']))
  const labels = [...table.matchAll(/aria-label="(View the report of|Preview|Edit|Remove) Rated"/g)].map(
    ([, one]) => one,
  )
  expect(labels).toEqual(['View the report of', 'Preview', 'Edit', 'Remove'])
  const draft = tableIn((await author.send({ path: '/dashboard/modules/?search=sample+01' })).text)
  expect(draft.rows[0]).toContain('Draft')
})

test('C-007 C-011 C-015 A-008 each section has its address, its heading and its place in the navigation', async () => {
  const sections = {
    'Reporting & Communication': { reports: 'Reports', messages: 'Manage Messages' },
    'Learning Content': {
      courses: 'Manage Courses',
      modules: 'Manage Modules',
      lectures: 'Manage Lectures',
      tags: 'Manage Tags',
    },
    'LMS Users': { users: 'Manage Users', institutions: 'Manage Institutions' },
    'Page Content': {
      'courses-page': 'Manage Courses Page',
      'modules-page': 'Manage Modules Page',
      glossary: 'Manage Glossary',
    },
  }
  for (const [group, items] of Object.entries(sections)) {
    const order = []
    for (const [id, heading] of Object.entries(items)) {
      const path = `/dashboard/${id}/`
      const { text } = await admin.send({ path })
      expect(/<h1[^>]*>([^<]*)</.exec(text.replaceAll('<!-- -->', ''))?.[1], id).toBe(heading)
      expect((await navigationAt(admin, path)).current, id).toEqual([path])
      const nav = /<nav class="consolenav"[^>]*>(.*?)<\/nav>/s.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
      const [, ofGroup = ''] = nav.split(`<h2>${group}</h2>`)
      order.push((ofGroup.split('<h2>')[0] ?? '').indexOf(`href="${path}"`))
    }
    expect(Math.min(...order), group).toBeGreaterThan(-1)
    expect(order, group).toEqual([...order].sort((one, other) => one - other))
  }
})

test('A-024 a site without content says so in each table', async () => {
  for (const title of ['No Courses', 'No Modules', 'No Lectures']) {
    const path = `/dashboard/${title.slice(3).toLowerCase()}/`
    expect((await nsAdmin.send({ path })).text, path).toContain(`<h2>${title}</h2>`)
  }
})

test('A-003 A-004 A-005 each site has its own name, palette, institution and subsidized plan, and none of the other', async () => {
  for (const [browser, own, other] of [
    [admin, brands.institutional, brands.ns],
    [nsAdmin, brands.ns, brands.institutional],
  ] as const) {
    const form = (await browser.send({ path: '/dashboard/modules/new/' })).text
    expect(form).toContain(`<title>${own.name} : Dashboard : Modules</title>`)
    expect(form).toContain(`data-brand="${own.palette}"`)
    expect(form).toContain(own.subsidizedPlan)
    expect(form).not.toContain(other.subsidizedPlan)
    const { text } = await browser.send({ path: '/dashboard/settings/' })
    const preset = /<select [^>]*name="defaultInstitution".*?<\/select>/s.exec(text)?.[0] ?? ''
    expect(/<option [^>]*selected=""[^>]*>([^<]*)</.exec(preset)?.[1]).toBe(own.defaultUniversity)
    expect(preset).not.toContain(`>${other.defaultUniversity}<`)
  }
})

test('C-005 C-119 C-120 beside the auth pages, each site has its own picture, header and description', async () => {
  const asides: string[] = []
  for (const [host, own] of [
    [server.host(), brands.institutional],
    [server.host().replace('localhost', 'ns.localhost'), brands.ns],
  ] as const) {
    const visitor = aBrowser(server, { host })
    for (const path of ['/login/', '/request-password-reset/', '/reset-password/x/y/', '/confirm-invitation/x/y/']) {
      const { text } = await visitor.send({ path })
      const aside = /<section class="site on-deep".*?<\/section>/s.exec(text)?.[0] ?? ''
      expect(aside, path).toContain(own.signIn.header)
      expect(aside, path).toContain(own.signIn.description)
      if (path === '/login/') {
        asides.push(/<svg.*?<\/svg>/s.exec(aside)?.[0] ?? '')
        expect(text).toContain('href="/request-password-reset/"')
      }
    }
  }
  expect(asides[0]).toMatch(/^<svg/)
  expect(asides[1]).toMatch(/^<svg/)
  expect(asides[0]).not.toBe(asides[1])
})

test('a page of the table takes at most eight queries', async () => {
  await author.send({ path: '/dashboard/modules/' })
  const { headers } = await author.send({ path: '/dashboard/modules/?search=sample&sort=-score&filter=status-draft' })
  const lineOf = () =>
    server
      .log()
      .split('\n')
      .find((line) => line.includes(String(headers['x-request-id'])) && line.includes('"queries"'))
  await expect.poll(lineOf, { timeout: 5000 }).toBeDefined()
  const { queries } = JSON.parse(lineOf() ?? '{}') as { queries: number }
  expect(queries).toBeGreaterThan(0)
  expect(queries).toBeLessThanOrEqual(8)
})
