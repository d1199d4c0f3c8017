/** Manage Audiences with plain forms, as without JavaScript. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { createAudience } from '~/services/audiences/save-audience.server.ts'
import { ensureUniversity } from '~/services/institutions/institutions.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { aBrowser, type Browser, startServer, tokenIn } from '../support/http.ts'

let admin: Browser
let author: Browser
let nsAdmin: Browser
let personUid: string
let moduleUid: string
let institutionUid: string
let nsAudienceUid: string
const path = '/dashboard/audiences/'

beforeAll(async () => {
  const server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    await aUser(db, { email: 'author@titrate.example', groups: ['authors'] })
    await aUser(db, { email: 'admin@titrate.example', groups: ['admins'], firstName: 'Root' })
    personUid = (await aUser(db, { firstName: 'Grace', lastName: 'Hopper' })).uid
    const ctx = await aContext(db)
    institutionUid = (await ensureUniversity(ctx, { name: 'Helvik University' })).uid
    moduleUid = (await aModule(ctx, { name: 'Assays & more' })).uid
    const viewer = await aUser(db, { site: 'ns', email: 'admin@ns.example', groups: ['admins'] })
    const ns = await aContext(db, { site: 'ns', viewer })
    const conditions = [{ about: 'group', how: 'is', values: ['learners'] }]
    nsAudienceUid = (await createAudience(ns, { name: 'Theirs', conditions })).uid
    await close()
  })
  ;[author, admin] = [aBrowser(server), aBrowser(server)]
  nsAdmin = aBrowser(server, { host: server.host().replace('localhost', 'ns.localhost') })
  await nsAdmin.signIn('admin@ns.example')
  await author.signIn('author@titrate.example')
  await admin.signIn('admin@titrate.example')
})

async function pageAt(to: string, browser = admin): Promise<string> {
  const { status, text } = await browser.send({ path: to })
  expect(status, to).toBe(200)
  return text.replaceAll('<!-- -->', '')
}

type Fields = [name: string, value: string][]

/** The fields that a page's rows and its hidden fields would post, without the name. */
function fieldsIn(page: string): Fields {
  const inputs = [...page.matchAll(/<input [^>]*>/g)].map(([tag]) => tag)
  const attribute = (tag: string, name: string) => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
  const selects = [...page.matchAll(/<select [^>]*name="(c\d+-how)"[^>]*>(.*?)<\/select>/gs)]
  return [
    ...inputs
      .map((tag): [string, string, string] => [attribute(tag, 'name'), attribute(tag, 'value'), tag])
      .filter(([name, , tag]) => /^(c\d+-|conditions$|revision$|uid$)/.test(name) && !/type="search"/.test(tag))
      .filter(([, , tag]) => !/type="checkbox"/.test(tag) || / checked/.test(tag))
      .map(([name, value]): [string, string] => [name, value]),
    ...selects.map(([, name = '', options = '']): [string, string] => {
      const chosen = /<option[^>]* selected[^>]*value="([^"]*)"|<option[^>]*value="([^"]*)"[^>]* selected/.exec(options)
      return [name, chosen?.[1] ?? chosen?.[2] ?? /value="([^"]*)"/.exec(options)?.[1] ?? '']
    }),
    ['csrf', tokenIn(page)],
  ]
}

/** Posts what the page holds and what was typed, and returns the answer and the page that it leads to. */
async function press(at: string, page: string, typed: Fields) {
  const names = new Set(typed.map(([name]) => name))
  const kept = fieldsIn(page).filter(([name]) => !names.has(name))
  const reply = await admin.send({
    method: 'POST',
    path: at,
    body: new URLSearchParams([...kept, ...typed]).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
  })
  const next = reply.headers.location
  return { status: reply.status, page: next ? await pageAt(String(next)) : reply.text.replaceAll('<!-- -->', '') }
}

test('conditions are added, counted, removed and saved by plain buttons', async () => {
  const at = `${path}new/`
  const add = (page: string, about: string) =>
    press(at, page, [
      ['name', 'Not yet'],
      ['add-about', about],
      ['intent', 'add'],
    ])
  let { status, page } = await add(await pageAt(at), 'module')
  expect([status, page.includes('Assays &amp; more'), page.includes('value="Not yet"')]).toEqual([200, true, true])
  const picked = await press(at, page, [['c1-values-picker-button', `add:${moduleUid}`]])
  expect(picked.page).toContain(`name="c1-values" value="${moduleUid}"`)
  const changed = await press(at, picked.page, [
    ['c1-how', 'not_completed'],
    ['intent', 'count'],
  ])
  // Root, Grace and the author.
  expect(changed.page).toContain('3 people meet all conditions now.')
  ;({ page } = await add(changed.page, 'group'))
  expect(page).toContain('Complete the conditions to see how many people meet them.')
  const refused = await press(at, page, [
    ['name', ''],
    ['intent', 'save'],
  ])
  expect(refused.status).toBe(400)
  for (const text of ['Name is required', 'Choose one or more groups', moduleUid]) expect(refused.page).toContain(text)
  ;({ page } = await add(refused.page, 'seen'))
  const fewer = await press(at, page, [['intent', 'remove:c3']])
  expect(fewer.page).not.toContain('c3-days')
  const saved = await press(at, fewer.page, [
    ['name', 'Not yet'],
    ['c2-values', 'learners'],
    ['c2-values', 'instructors'],
    ['intent', 'save'],
  ])
  expect(saved.page).toContain('Audience “Not yet” has been created.')
  expect(saved.page).toContain('Has not completed “Assays &amp; more”')
  expect(saved.page).toContain('Group is Learners or Instructors')
  expect(saved.page).toContain('1 person, changed on')
})

async function audienceUid(): Promise<string> {
  const [, uid = ''] = /audiences\/([0-9a-f-]{36})\/people/.exec(await pageAt(path)) ?? []
  return uid
}

test('the page of an audience lists its people, and says why somebody is in or out', async () => {
  const here = `${path}${await audienceUid()}/people/`
  const page = await pageAt(here)
  for (const text of ['One person is in this audience now.', 'Grace Hopper', 'Full Access'])
    expect(page).toContain(text)
  expect(page).not.toContain('Root Okafor')
  expect(await pageAt(`${here}?search=nobody`)).toContain('Nobody found for “nobody”')
  expect(await pageAt(`${here}?person=root`)).toMatch(/Root Okafor.*Out/s)
  const why = await pageAt(`${here}${personUid}/`)
  expect(why).toContain('Grace Hopper is in “Not yet”.')
  expect(why).toContain('Not started')
  for (const odd of [`${here}${randomUUID()}/`, `${here}x/`, `${path}x/people/`, `${path}${nsAudienceUid}/people/`])
    expect((await admin.send({ path: odd })).status, odd).toBe(404)
})

test('one is edited, also when somebody else has saved meanwhile, and duplicated', async () => {
  const at = `${path}${await audienceUid()}/`
  const opened = await pageAt(at)
  const mine = await press(at, opened, [
    ['name', 'Quiet learners'],
    ['intent', 'save'],
  ])
  expect(mine.page).toContain('Audience “Quiet learners” has been saved.')
  const theirs = await press(at, opened, [
    ['name', 'Loud learners'],
    ['intent', 'save'],
  ])
  expect(theirs.status).toBe(409)
  expect(theirs.page).toContain('You changed this in another window. It is now “Quiet learners”.')
  expect(theirs.page).toContain('value="Loud learners"')
  const copy = await pageAt(`${at}duplicate/`)
  expect(copy).toContain('value="Copy of Quiet learners"')
  const copied = await press(`${at}duplicate/`, copy, [
    ['name', 'A copy'],
    ['intent', 'save'],
  ])
  expect(copied.page).toContain('Audience “A copy” has been created.')
  expect(copied.page).toContain('Has not completed “Assays &amp; more”')
  const withHow = (how: string) =>
    press(at, opened, [
      ['name', 'Not yet'],
      ['c1-how', how],
      ['intent', 'save'],
    ])
  const merged = await withHow('completed')
  expect(merged.page).toContain(
    'Audience “Quiet learners” has been saved. Other changes that were made in the meantime were kept.',
  )
  const contested = await withHow('started')
  expect(contested.status).toBe(409)
  expect(contested.page).toContain('It is now: Has completed “Assays &amp; more”; Group is Learners or Instructors.')
})

test('one is deleted after a question, and comes back', async () => {
  const at = `${path}${await audienceUid()}/delete/`
  const question = await pageAt(at)
  expect(question).toContain('One person is in')
  const deleted = await press(at, question, [['intent', 'confirm']])
  expect(deleted.page).toMatch(/Audience “[^”]+” has been deleted\./)
  expect(deleted.page).toContain('Deleted in the last thirty days')
  const [restore = ''] = /\/dashboard\/audiences\/removed\/[0-9a-f-]+\/restore\//.exec(deleted.page) ?? []
  expect((await press(restore, deleted.page, [])).page).toContain('is back.')
  expect((await admin.send({ path: `${path}${nsAudienceUid}/delete/` })).status).toBe(404)
})

test('addresses that anybody can write never fail, and others than admins see nothing', async () => {
  const count = async (query: string) => JSON.parse((await admin.send({ path: `${path}count/?${query}` })).text)
  const rule = 'conditions=c1&c1-about=institution&c1-how=is'
  expect(await count(`${rule}&c1-values=${institutionUid}`)).toEqual({ count: 0 })
  expect(await count(`${rule}&c1-none=on`)).toMatchObject({ count: 3 })
  for (const odd of ['', rule, 'conditions=c1&c1-about=x', 'conditions=__proto__', `${rule}&c1-days[]=1`])
    expect(await count(odd), odd).toEqual({ count: null })
  expect(await pageAt(`${path}choices/module/?search=assay`)).toContain(moduleUid)
  expect((await admin.send({ path: `${path}choices/group/` })).status).toBe(404)
  for (const odd of ['?page=99', '?sort=x&search=%25', '?search=%F0%9F'])
    expect([200, 302]).toContain((await admin.send({ path: path + odd })).status)
  for (const at of ['', 'new/', 'count/', 'choices/module/', `${nsAudienceUid}/people/`, 'removed/x/restore/'])
    expect((await author.send({ path: path + at })).status, at).toBe(403)
  expect(await pageAt(path, nsAdmin)).toContain('Theirs')
  expect(await pageAt(path)).not.toContain('Theirs')
})
