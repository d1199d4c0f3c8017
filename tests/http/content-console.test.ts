/** Glossary, tags, the Modules page and the Courses page in the console, with plain forms. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createGlossaryTerm } from '~/services/glossary/save-term.server.ts'
import { ensureTags } from '~/services/tags/tags.server.ts'
import type { Database } from '~db/client.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { aCourse } from '../support/courses.ts'
import { aBrowser, type Browser, startServer, type TestServer, tokenIn } from '../support/http.ts'

let server: TestServer
let author: Browser
let admin: Browser
let termUid: string
let courseUids: string[]
let modules: { uid: string }[]

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    await aUser(db, { email: 'author@titrate.example', groups: ['authors'] })
    await aUser(db, { email: 'admin@titrate.example', groups: ['admins'] })
    const operator = await aContext(db, { isOperator: true })
    termUid = (await createGlossaryTerm(operator, { name: 'Assay', definition: 'A <b>test</b>.' })).uid
    await createGlossaryTerm(operator, { name: '5-HT', definition: 'Serotonin.' })
    await createGlossaryTerm(operator, { name: 'biomarker', definition: 'A measured sign.' })
    await ensureTags(operator, { texts: ['Alpha', 'Beta', 'A "quoted", <i>tag</i>'] })
    courseUids = []
    for (const name of ['Course one', 'Course two']) courseUids.push((await aCourse(db, { name })).uid)
    modules = [await aModule(operator, { name: 'Module one' }), await aModule(operator, { name: 'Module two' })]
    await placeInFirstChapter(db, modules)
    await close()
  })
  ;[author, admin] = [aBrowser(server), aBrowser(server)]
  await author.signIn('author@titrate.example')
  await admin.signIn('admin@titrate.example')
})

async function placeInFirstChapter(db: Database, modules: { uid: string }[]): Promise<void> {
  for (const [position, { uid }] of modules.entries()) {
    await db
      .insertInto('module_chapters')
      .values((eb) => ({
        site_id: eb.selectFrom('modules').select('site_id').where('uid', '=', uid),
        module_id: eb.selectFrom('modules').select('id').where('uid', '=', uid),
        chapter_id: eb
          .selectFrom('chapters')
          .select('id')
          .where('site_id', '=', (sub) => sub.selectFrom('modules').select('site_id').where('uid', '=', uid))
          .orderBy('id')
          .limit(1),
        position,
      }))
      .execute()
  }
}

async function pageAt(path: string): Promise<string> {
  const { status, text } = await admin.send({ path })
  expect(status, path).toBe(200)
  // React puts comments between texts.
  return text.replaceAll('<!-- -->', '')
}

/** Posts a form of a page, and returns the answer and the page that it leads to. */
async function press(path: string, fields: Record<string, string>) {
  const form = await pageAt(path)
  const uid = fieldIn(form, 'uid')
  const reply = await admin.post(path, { csrf: tokenIn(form), ...(uid && { uid }), ...fields })
  const to = reply.headers.location
  return { ...reply, text: reply.text.replaceAll('<!-- -->', ''), page: to ? await pageAt(String(to)) : reply.text }
}

/** The value of a hidden field. */
const fieldIn = (page: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''

describe('glossary', () => {
  const path = '/dashboard/glossary/'

  test('C-077 C-258 the heading is shown, edited and saved', async () => {
    expect(await pageAt(path)).not.toContain('name="headline"')
    const saved = await press(`${path}?edit=heading`, {
      headline: 'Our words',
      description: 'What they mean.',
      revision: '0',
      intent: 'save',
    })
    expect(saved.page).toContain('Glossary settings have been saved.')
    expect(saved.page).toContain('Our words')
    expect(saved.page).not.toContain('name="headline"')
    const refused = await press(`${path}?edit=heading`, { headline: '', description: 'Kept text', revision: '1' })
    expect([refused.status, refused.text.includes('Headline is required')]).toEqual([400, true])
    expect(refused.text).toContain('Kept text')
  })

  test('C-078 C-079 terms are under their letters, searched, and shown as text', async () => {
    const all = await pageAt(path)
    const letters = [...all.matchAll(/<h2 id="letter-[^"]*">([^<]*)</g)].map(([, letter]) => letter)
    expect(letters).toEqual(['#', 'A', 'B'])
    expect(all).toContain('A &lt;b&gt;test&lt;/b&gt;.')
    const found = await pageAt(`${path}?search=mark`)
    expect(found).toContain('biomarker')
    expect(found).not.toContain('Serotonin')
    expect(await pageAt(`${path}?search=nothing-like-it`)).toContain('No terms found for')
    expect(await pageAt(`${path}?filter=letter-B`)).not.toContain('Serotonin')
    expect((await admin.send({ path: `${path}?page=9` })).headers.location).toBe(path)
  })

  test('C-080 C-259 a term is added and edited; a refused one keeps what was typed', async () => {
    const added = await press(`${path}new/`, { name: 'Cohort', definition: 'A group of people.' })
    expect(added.page).toContain('Term “Cohort” has been added.')
    const taken = await press(`${path}new/`, { name: 'ASSAY', definition: 'Typed already.' })
    expect([taken.status, taken.text.includes('The glossary already has the term “Assay”.')]).toEqual([422, true])
    expect(taken.text).toContain('Typed already.')
    const edit = await pageAt(`${path}${termUid}/`)
    expect(edit).toContain('value="Assay"')
    const saved = await press(`${path}${termUid}/`, { name: 'Assay', definition: 'A test.', revision: '0' })
    expect(saved.page).toContain('Term “Assay” has been saved.')
    const late = await press(`${path}${termUid}/`, { name: 'Assay', definition: 'Another.', revision: '0' })
    expect([late.status, late.text.includes('You changed this in another window.')]).toEqual([409, true])
  })

  test('characters that are not UTF-8 are refused, and what is typed comes back', async () => {
    const form = await pageAt(`${path}new/`)
    for (const [definition, status] of [
      ['%ff%c0%af', 400],
      ['%ef%bf%bd, 100% and %zz', 302],
    ] as const) {
      const fields = `csrf=${tokenIn(form)}&uid=${fieldIn(form, 'uid')}&name=Broken&definition=${definition}`
      const reply = await admin.send({
        method: 'POST',
        path: `${path}new/`,
        body: fields,
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
      })
      expect(reply.status).toBe(status)
      expect(reply.text.includes('Some characters of this form cannot be read.')).toBe(status === 400)
      expect(reply.text.includes('value="Broken"')).toBe(status === 400)
    }
    expect(await pageAt(`${path}?search=Broken`)).toContain('\ufffd, 100% and %zz')
  })

  test('C-081 C-260 removing asks first, and can be undone', async () => {
    const { uid } = { uid: termUid }
    expect(await pageAt(`${path}${uid}/delete/`)).toContain('Are you sure you want to remove “Assay”')
    const removed = await press(`${path}${uid}/delete/`, { intent: 'confirm' })
    expect(removed.page).toContain('Successfully removed glossary term.')
    expect((await admin.send({ path: `${path}${uid}/` })).status).toBe(404)
    const again = await admin.post(`${path}${uid}/delete/`, { csrf: tokenIn(removed.page) })
    expect(await pageAt(String(again.headers.location))).toContain('It has been removed already.')
    const back = await admin.post(`${path}${uid}/restore/`, { csrf: tokenIn(removed.page) })
    expect(await pageAt(String(back.headers.location))).toContain('Term “Assay” is back.')
  })

  test('the whole glossary is exported as a file', async () => {
    const { headers, text } = await admin.send({ path: `${path}export/` })
    expect(headers['content-disposition']).toContain('Glossary.csv')
    expect(text).toContain('Term,Definition,Slug')
    expect(text).toContain('biomarker,A measured sign.,biomarker')
  })

  test('C-009 the copy link of a term leads to its public page', async () => {
    const [, address = ''] = /href="([^"]*\/glossary\/biomarker\/)"/.exec(await pageAt(path)) ?? []
    expect(await pageAt(new URL(address).pathname)).toContain('A measured sign.')
  })
})

describe('tags', () => {
  const path = '/dashboard/tags/'

  test('C-105 C-107 C-266 the chosen tags are removed at once, and can be restored', async () => {
    const page = await pageAt(path)
    expect(page).toContain('A &quot;quoted&quot;, &lt;i&gt;tag&lt;/i&gt;')
    const removed = await press(path, { tagsToDelete: 'A "quoted", <i>tag</i>', intent: 'save' })
    expect(removed.page).toContain('Tags have been updated.')
    expect(removed.page).toContain('Removed in the last thirty days')
    const [, restore = ''] = /action="([^"]*\/removed\/[^"]*\/restore\/)"/.exec(removed.page) ?? []
    const back = await admin.post(restore, { csrf: tokenIn(removed.page) })
    expect(await pageAt(String(back.headers.location))).toContain('is back.')
    expect((await press(path, { intent: 'save' })).page).toContain('No tags were chosen.')
  })

  test('a tag is renamed, and merged once somebody has seen what changes', async () => {
    const uidAt = async (text: string) =>
      new RegExp(`href="${path}([0-9a-f-]{36})/"[^>]*>${text}<`).exec(await pageAt(path))?.[1] ?? ''
    const alpha = `${path}${await uidAt('Alpha')}/`
    const taken = await press(alpha, { text: 'beta' })
    expect([taken.status, taken.text.includes('There is already a tag “Beta”.')]).toEqual([422, true])
    const sameText = await uidAt('Beta')
    expect(taken.text, 'the other one is known').toContain(`name="sameText" value="${sameText}"`)
    const merge = await press(alpha, { text: 'beta', sameText, intent: 'merge' })
    expect(merge.page).toMatch(new RegExp(`value="${sameText}" selected`))
    expect((await press(alpha, { text: 'Alphas' })).page).toContain('Alphas')
    const into = await uidAt('Beta')
    const preview = await press(`${alpha}merge/`, { into, intent: 'merge' })
    expect(preview.text).toContain('Nothing has this tag.')
    const merged = await press(`${alpha}merge/`, { into, previewed: into, intent: 'merge' })
    expect(merged.page).toContain('Tag “Alphas” has been merged into “Beta”.')
    expect((await press(`${path}${into}/merge/`, { into: '', intent: 'preview' })).status).toBe(400)
  })
})

describe('the Modules page', () => {
  const path = '/dashboard/modules-page/'

  test('A-042 A-045 A-047 A-269 sections have their chapters, and a new order is saved', async () => {
    const page = await pageAt(path)
    for (const section of ['Discover', 'Develop', 'Deliver']) expect(page).toContain(`>${section}</h2>`)
    const [one, two] = modules.map(({ uid }) => uid)
    const [order, opened] = [fieldIn(page, 'order'), fieldIn(page, 'opened')]
    expect(order).toBe(opened)
    expect(order.indexOf(one ?? '')).toBeLessThan(order.indexOf(two ?? ''))
    const moved = await press(path, { order, opened, move: `down:${one}` })
    const wanted = fieldIn(moved.text, 'order')
    expect(wanted.indexOf(two ?? '')).toBeLessThan(wanted.indexOf(one ?? ''))
    expect(fieldIn(await pageAt(path), 'order')).toBe(opened)
    const saved = await press(path, { order: wanted, opened, intent: 'save' })
    expect(saved.page).toContain('Modules have been updated.')
    expect(fieldIn(saved.page, 'order')).toBe(wanted)
  })

  test('A-046 A-049 chapters of two sections are saved together, and a stale order is told about and kept', async () => {
    const page = await pageAt(path)
    const opened = fieldIn(page, 'opened')
    const chapters = [...page.matchAll(/<li id="order-([0-9a-f-]{36})"/g)]
      .map(([, uid = '']) => uid)
      .filter((uid) => modules.every((module) => module.uid !== uid))
    const afterMove = async (order: string, move: string) =>
      fieldIn((await press(path, { order, opened, move })).text, 'order')
    const last = chapters.at(-1) ?? ''
    const wanted = await afterMove(await afterMove(opened, `down:${chapters[0]}`), `up:${last}`)
    const saved = await press(path, { order: wanted, opened, intent: 'save' })
    expect(fieldIn(saved.page, 'order')).toBe(wanted)
    const stale = await press(path, { order: opened, opened: `${opened} `, intent: 'save' })
    expect(stale.page).toContain('Nothing was moved.')
    expect((await press(path, { order: wanted, opened, intent: 'save' })).page).toContain('Modules have been updated.')
    const late = await press(path, { order: await afterMove(opened, `down:${chapters[1]}`), opened, intent: 'save' })
    expect([late.status, late.text.includes('save again to use it')]).toEqual([422, true])
    expect(late.text).toMatch(/[^>]+ has changed the chapters of Discover in the meantime/)
    // Save again would not undo the other section, which this form has not touched.
    const kept = fieldIn(late.text, 'order')
    expect(kept.indexOf(last)).toBeLessThan(kept.indexOf(chapters.at(-2) ?? ''))
    expect(kept.indexOf(chapters[2] ?? '')).toBeLessThan(kept.indexOf(chapters[1] ?? ''))
  })

  test('an order with a foreign module or nonsense changes nothing', async () => {
    const page = await pageAt(path)
    const opened = fieldIn(page, 'opened')
    const foreign = opened.replace(modules[0]?.uid ?? '', '00000000-0000-4000-8000-000000000000')
    for (const order of [foreign, 'nonsense', `${opened} ${opened}`]) {
      expect((await press(path, { order, opened, intent: 'save' })).status, order.slice(0, 20)).toBeGreaterThanOrEqual(
        400,
      )
    }
    expect(fieldIn(await pageAt(path), 'order')).toBe(fieldIn(page, 'order'))
  })
})

describe('the Courses page', () => {
  const path = '/dashboard/courses-page/'

  test('A-037 A-038 A-039 A-268 courses are picked, ordered, taken out and saved', async () => {
    const page = await pageAt(path)
    expect(page).toContain('Course List')
    expect(page).toContain('The list is empty')
    const picked = await press(path, { items: '', openedItems: '', added: courseUids.join(' '), intent: 'add' })
    expect(fieldIn(picked.text, 'items')).toBe(courseUids.join(' '))
    expect(picked.text).toContain('Already in the list')
    const moved = await press(path, { items: courseUids.join(' '), openedItems: '', move: `down:${courseUids[0]}` })
    const wanted = [...courseUids].reverse().join(' ')
    expect(fieldIn(moved.text, 'items')).toBe(wanted)
    const saved = await press(path, { items: wanted, openedItems: '', intent: 'save' })
    expect(saved.page).toContain('Course list has been updated.')
    expect(fieldIn(saved.page, 'openedItems')).toBe(wanted)
    expect((await press(path, { items: wanted, openedItems: '', intent: 'save' })).status).toBe(302)
    const without = await press(path, { items: wanted, openedItems: wanted, remove: courseUids[0] ?? '' })
    expect(fieldIn(without.text, 'items')).toBe(courseUids[1])
    expect(fieldIn(await pageAt(path), 'items')).toBe(wanted)
  })

  test('Enter in the plain picker searches, and a button keeps the list that the form was opened with', async () => {
    const found = await press(path, { items: '', openedItems: '', 'added-picker-search': 'two', intent: 'search' })
    expect(found.text).toContain('1 course found')
    const moved = await press(path, { items: courseUids.join(' '), openedItems: courseUids[0] ?? '', move: 'up:x' })
    expect(fieldIn(moved.text, 'openedItems')).toBe(courseUids[0])
  })

  test('A-041 A-250 a list that somebody has changed, or that names an unknown course, is refused and kept', async () => {
    const stale = await press(path, { items: courseUids.join(' '), openedItems: '', intent: 'save' })
    expect([stale.status, stale.text.includes('save again to use it')]).toEqual([422, true])
    expect(fieldIn(stale.text, 'items')).toBe(courseUids.join(' '))
    // The form goes on from the list that is stored now.
    expect(fieldIn(stale.text, 'openedItems')).not.toBe('')
    const { status } = await press(path, {
      items: '00000000-0000-4000-8000-000000000000',
      openedItems: fieldIn(await pageAt(path), 'openedItems'),
      intent: 'save',
    })
    expect(status).toBe(422)
  })

  test('the picker’s candidates are for admins', async () => {
    const { status, text } = await admin.send({ path: `${path}candidates/?search=two` })
    expect([status, JSON.parse(text).candidates.map(({ name }: { name: string }) => name)]).toEqual([
      200,
      ['Course two'],
    ])
    expect((await author.send({ path: `${path}candidates/` })).status).toBe(403)
  })
})

test('authors and other sites’ forms change nothing', async () => {
  const paths = [
    'glossary/new/',
    `glossary/${termUid}/`,
    `glossary/${termUid}/delete/`,
    'tags/',
    'modules-page/',
    'courses-page/',
  ]
  for (const path of paths) {
    const { status } = await author.post(`/dashboard/${path}`, { csrf: 'x', items: '', tagsToDelete: 'Beta' })
    expect(status, path).toBe(403)
  }
  const fields = { csrf: tokenIn(await pageAt('/dashboard/tags/')), tagsToDelete: 'Beta' }
  const crossSite = await admin.post('/dashboard/tags/', fields, { 'sec-fetch-site': 'cross-site' })
  expect(crossSite.status).toBeGreaterThanOrEqual(400)
  expect(await pageAt('/dashboard/tags/')).toContain('Beta')
})
