/** The courses section of the console, with plain forms. */
import { beforeAll, describe, expect, test } from 'vitest'
import { partField } from '~/forms/course-outline.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser, openTestDatabase, planOf } from '../support/context.ts'
import { aBrowser, type Browser, startServer, type TestServer, tokenIn } from '../support/http.ts'
import { fieldsOf, press as pressIn, readPage } from '../support/plain-forms.ts'

let server: TestServer
let author: Browser
let admin: Browser
let learner: Browser
let moduleUids: string[]
let planUid: string

const path = '/dashboard/courses/'

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    await aUser(db, { email: 'author@titrate.example', groups: ['authors'] })
    await aUser(db, { email: 'admin@titrate.example', groups: ['admins'] })
    await aUser(db, { email: 'learner@titrate.example', plan: 'Full Access' })
    const operator = await aContext(db, { isOperator: true })
    moduleUids = []
    for (const name of ['Alpha module', 'Beta module']) moduleUids.push((await aModule(operator, { name })).uid)
    const id = await planOf(db, operator.site.id, 'Full Access')
    const plan = await db.selectFrom('access_plans').select('uid').where('id', '=', id).executeTakeFirstOrThrow()
    planUid = plan.uid
    await close()
  })
  ;[author, admin, learner] = [aBrowser(server), aBrowser(server), aBrowser(server)]
  await admin.signIn('admin@titrate.example')
  await author.signIn('author@titrate.example')
  await learner.signIn('learner@titrate.example')
})

const pageAt = (at: string, browser = author) => readPage(browser, at)
const press = (at: string, page: string, changes: Record<string, string>) => pressIn(author, at, page, changes)

const [section, chapter] = [/"outline" value="s([0-9a-f-]{36})/, / c([0-9a-f-]{36})/]

/** Creates a course with a section, a chapter and both modules, by the buttons of the plain form. */
async function buildCourse(name: string) {
  const at = `${path}new/`
  const withSection = (await press(at, await pageAt(at), { name, accessPlanUids: planUid, build: 'add-section' })).page
  expect(withSection).toMatch(/id="last-section"/)
  expect(withSection).toMatch(/formaction="#last-section"/i)
  const sectionUid = section.exec(withSection)?.[1] ?? ''
  const withChapter = (
    await press(at, withSection, { [partField(sectionUid, 'name')]: 'Basics', build: `add-chapter:${sectionUid}` })
  ).page
  const chapterUid = chapter.exec(fieldsOf(withChapter).outline ?? '')?.[1] ?? ''
  const picking = (
    await press(at, withChapter, { [partField(chapterUid, 'name')]: 'First steps', build: `pick:${chapterUid}` })
  ).page
  return { at, sectionUid, chapterUid, picking }
}

describe('creating', () => {
  test('A-016 A-017 A-029 A-001 a course is built, saved, found and published without JavaScript', async () => {
    const { at, chapterUid, picking } = await buildCourse('Plain course')
    expect(picking).toContain('2 modules found')
    expect(picking).toContain('Published · ')
    const found = await press(at, picking, { 'modules-picker-search': 'beta', intent: 'search' })
    expect(found.page).toContain('1 module found')
    const drafts = await press(at, picking, {
      'modules-picker-filter-status': 'draft',
      'modules-picker-button': 'search',
    })
    expect(drafts.page).toContain('0 modules found')
    const one = await press(at, found.page, { 'modules-picker-button': `add:${moduleUids[1]}` })
    const filled = await press(at, one.page, { build: `add-modules:${chapterUid}` })
    expect(fieldsOf(filled.page).outline).toMatch(new RegExp(` m${moduleUids[1]}$`))
    const again = await press(at, filled.page, { build: `pick:${chapterUid}` })
    expect(again.page).toContain('Already in the course')
    const both = await press(at, again.page, { modules: moduleUids.join(' '), build: `add-modules:${chapterUid}` })
    const moved = await press(at, both.page, { move: `up:${moduleUids[0]}` })
    expect(fieldsOf(moved.page).outline).toMatch(new RegExp(` m${moduleUids[0]} m${moduleUids[1]}$`))
    const unpublished = await press(at, moved.page, { intent: 'publish' })
    expect([unpublished.status, unpublished.page.includes('Course needs to be saved before publishing')]).toEqual([
      422,
      true,
    ])
    // notices, titles and the control that publishes.
    const saved = await press(at, moved.page, { intent: 'save' })
    expect(saved.page).toContain('Course &quot;Plain course&quot; has been created.')
    expect(saved.page).toContain('Edit Course')
    expect(fieldsOf(saved.page)).toMatchObject({ name: 'Plain course', outline: fieldsOf(moved.page).outline })
    expect(await pageAt(`${path}?search=PLAIN`)).toContain('Plain course')
    const asked = await press(saved.to, saved.page, { intent: 'publish' })
    expect(asked.page).toContain('Do you want to publish this course?')
    const published = await press(asked.to, asked.page, { intent: 'publish', addToHomepage: 'on' })
    expect(published.page).toContain('Course &quot;Plain course&quot; has been published.')
    expect(published.page).toContain('UNPUBLISH')
    expect(await pageAt('/courses/', learner)).toContain('Plain course')
  })

  test('A-031 A-164 A-168 what is refused says why at its field and keeps everything', async () => {
    const { at, sectionUid, picking } = await buildCourse('')
    const refused = await press(at, picking, {
      [partField(sectionUid, 'name')]: ' ',
      learningObjectives: 'Know it\nKnow it ',
      synopsis: 'Kept synopsis',
      intent: 'save',
    })
    expect(refused.status).toBe(400)
    for (const text of [
      'Course name is required',
      'Section name is required',
      'Learning objectives must be unique',
      'Kept synopsis',
      'First steps',
    ]) {
      expect(refused.page).toContain(text)
    }
  })
})

test('A-018 A-019 A-020 A-021 A-022 the table of courses: its columns, how they are written, and what a row offers', async () => {
  const create = async (name: string) =>
    new URL((await press(`${path}new/`, await pageAt(`${path}new/`), { name, intent: 'save' })).to, 'http://localhost')
      .pathname
  const published = await create('Tabled one')
  await create('Tabled two')
  await press(`${published}publish/`, await pageAt(`${published}publish/`), { intent: 'publish' })
  const page = await pageAt(`${path}?search=tabled`)
  const plain = (cell = '') =>
    cell
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim()
  const [head = [], one = [], two = []] = [...page.matchAll(/<tr.*?<\/tr>/gs)].map(([row]) =>
    [...row.matchAll(/<t[hd][ >].*?<\/t[hd]>/gs)].map(([cell]) => cell),
  )
  const heads = ['Name', 'Status', 'Tags', 'Groups with Access', 'Author', 'Version', 'Last Updated', 'Actions']
  expect(head.map(plain)).toEqual(heads)
  expect(one.map(plain)).toEqual(expect.arrayContaining(['Tabled one', 'Published', 'Ada O.', 'v1']))
  expect(two.map(plain)).toEqual(expect.arrayContaining(['Tabled two', 'Draft', 'Ada O.', 'v1']))
  const chipOf = (cells: string[]) => /class="(chip [^"]*)"/.exec(cells[1] ?? '')?.[1]
  expect(chipOf(one)).toBeDefined()
  expect(chipOf(one)).not.toBe(chipOf(two))
  // one format for dates, in the time zone of the site.
  expect(one.map(plain)).toContainEqual(expect.stringMatching(/^[A-Z][a-z]{2} \d{1,2}, \d{4}$/))
  for (const action of ['Edit', 'Remove']) expect(page).toContain(`aria-label="${action} Tabled one"`)
  const sizes = /<select [^>]*name="size".*?<\/select>/s.exec(page)?.[0] ?? ''
  expect([...sizes.matchAll(/<option value="(\d+)"/g)].map(([, size]) => size)).toEqual(['10', '20'])
  // Where courses are only picked and ordered, none can be edited or deleted.
  const picking = await readPage(admin, '/dashboard/courses-page/')
  expect(picking).toContain('Tabled one')
  expect(picking).not.toMatch(new RegExp(`href="${path}[0-9a-f-]{36}/`))
})

describe('a saved course', () => {
  async function aSavedCourse(name: string) {
    const { at, picking, chapterUid } = await buildCourse(name)
    const filled = await press(at, picking, { modules: moduleUids.join(' '), build: `add-modules:${chapterUid}` })
    const saved = await press(at, filled.page, { intent: 'save' })
    return { at: new URL(saved.to, 'http://localhost').pathname, page: saved.page, chapterUid }
  }

  test('A-133 with unsaved changes it is not published', async () => {
    const { at, page } = await aSavedCourse('Unsaved')
    const refused = await press(at, page, { synopsis: 'Changed', intent: 'publish' })
    expect([refused.status, refused.page.includes('Course needs to be saved before publishing')]).toEqual([422, true])
    expect(refused.page).toContain('Changed')
  })

  test('a second author is told about a field that both changed, and other fields are merged', async () => {
    const { at, page, chapterUid } = await aSavedCourse('Two authors')
    await press(at, page, { synopsis: 'Of the first', intent: 'save' })
    const told = await press(at, page, {
      synopsis: 'Of the second',
      [partField(chapterUid, 'description')]: 'New',
      intent: 'save',
    })
    expect(told.status).toBe(409)
    expect(told.page).toContain('It is now “Of the first”.')
    expect(fieldsOf(told.page)).toMatchObject({
      synopsis: 'Of the second',
      [partField(chapterUid, 'description')]: 'New',
    })
    const merged = await press(at, told.page, { intent: 'save' })
    expect(merged.page).toContain('Course has been updated.')
    expect(fieldsOf(merged.page).synopsis).toBe('Of the second')
  })

  test('an outline that is missing or cannot be read does not remove the sections', async () => {
    const { at, page } = await aSavedCourse('Kept sections')
    const { outline = '', ...others } = fieldsOf(page)
    const huge = Array.from({ length: 10_000 }, (_, index) => outline.slice(0, 32) + (10_000 + index)).join(' ')
    for (const sent of [undefined, 'nonsense', `${outline} m`, huge]) {
      const { status, text } = await author.post(at, { ...others, ...(sent && { outline: sent }), intent: 'save' })
      expect([status, text.includes('The sections could not be read.')]).toEqual([400, true])
      expect(text.length).toBeLessThan(500_000)
    }
    expect(fieldsOf(await pageAt(at)).outline).toBe(outline)
  })

  test('a revision that is no number is told about as a conflict', async () => {
    const { at, page } = await aSavedCourse('Revisions')
    await press(at, page, { synopsis: 'Of the first', intent: 'save' })
    for (const revision of ['', 'x', '-1', '0x1', '1e3']) {
      expect((await press(at, page, { synopsis: 'Of the second', revision, intent: 'save' })).status).toBe(409)
    }
    expect(fieldsOf(await pageAt(at)).synopsis).toBe('Of the first')
  })

  test('an earlier version that learners see can be unpublished while the latest one is a draft', async () => {
    const { at, page, chapterUid } = await aSavedCourse('Behind')
    await press(`${at}publish/`, await pageAt(`${at}publish/`), { intent: 'publish' })
    await press(at, page, { [partField(chapterUid, 'name')]: 'Renamed', intent: 'save' })
    expect(await pageAt(at)).toContain(`href="${at}publish/?intent=unpublish"`)
    expect(await pageAt(`${at}publish/`)).toContain('Do you want to publish this course?')
    const asked = await pageAt(`${at}publish/?intent=unpublish`)
    expect(asked).toContain('Do you want to unpublish this course?')
    await press(`${at}publish/?intent=unpublish`, asked, { intent: 'unpublish' })
    expect(await pageAt(at)).not.toContain('Unpublish v1')
  })

  test('publishing warns about what learners would miss', async () => {
    const { to } = await press(`${path}new/`, await pageAt(`${path}new/`), { name: 'Empty', intent: 'save' })
    const asked = await pageAt(`${new URL(to, 'http://localhost').pathname}publish/`)
    expect(asked).toContain('No group has access, so no learner will see it.')
    expect(asked).toContain('It has no modules.')
  })

  test('A-034 A-267 it is removed after DELETE is typed, and Undo brings it back', async () => {
    const { at } = await aSavedCourse('Short-lived')
    const asked = await pageAt(`${at}delete/`)
    for (const confirmation of ['', 'delete', 'DELETE ']) {
      const refused = await press(`${at}delete/`, asked, { confirmation })
      expect(refused.page).toContain('Please enter the confirmation text above')
    }
    const removed = await press(`${at}delete/`, asked, { confirmation: 'DELETE' })
    expect(removed.page).toContain('Course &quot;Short-lived&quot; has been deleted')
    expect((await author.send({ path: at })).status).toBe(404)
    const { headers } = await author.post(`${at}restore/`, { csrf: tokenIn(removed.page) })
    expect(await pageAt(String(headers.location))).toContain('is back.')
    expect(await pageAt(at)).toContain('Short-lived')
  })

  test('a form whose course was removed meanwhile keeps what was typed', async () => {
    const { at, page } = await aSavedCourse('Gone')
    await press(`${at}delete/`, await pageAt(`${at}delete/`), { confirmation: 'DELETE' })
    const late = await press(at, page, { synopsis: 'Typed too late', intent: 'save' })
    expect(late.status).toBe(404)
    expect(late.page).toContain('Someone removed this course')
    expect(late.page).toContain('Typed too late')
  })
})

test('a course is scheduled, listed, moved and canceled without JavaScript', async () => {
  const created = await press(`${path}new/`, await pageAt(`${path}new/`), { name: 'Planned', intent: 'save' })
  const at = new URL(created.to, 'http://localhost').pathname
  expect(await pageAt(`${at}publish/`)).toContain(`href="${at}schedule/"`)
  const dialog = await pageAt(`${at}schedule/`)
  expect(dialog).toContain('T09:00')
  const late = await press(`${at}schedule/`, dialog, { action: 'publish', at: '2020-01-01T09:00' })
  expect([late.status, late.page.includes('or a later time.')]).toEqual([400, true])
  expect(late.page).toContain('2020-01-01T09:00')
  const planned = await press(`${at}schedule/`, dialog, { action: 'publish', at: '2027-02-03T09:00' })
  expect(planned.page).toContain('Course &quot;Planned&quot; will be published on Feb 3, 2027, 9:00 AM.')
  await press(`${at}schedule/`, dialog, { action: 'publish', at: '2027-02-04T09:00' })
  expect(await pageAt(`${at}schedule/`)).toContain('Will be published on Feb 4, 2027, 9:00 AM.')
  const list = await pageAt('/dashboard/schedule/')
  expect(list).not.toContain('Feb 3, 2027')
  expect(list).toContain('Feb 4, 2027')
  const cancel = /action="(\/dashboard\/schedule\/[0-9a-f-]{36}\/cancel\/)"/.exec(list)?.[1] ?? ''
  const timeIn = (page: string) => ({ at: /name="at" value="(\d+)"/.exec(page)?.[1] ?? '' })
  expect((await learner.post(cancel, { csrf: tokenIn(list) })).status).toBe(403)
  await press(`${at}schedule/`, dialog, { action: 'publish', at: '2027-02-05T09:00' })
  for (const shown of [timeIn(list), {}]) {
    const moved = await press(cancel, list, shown)
    expect(moved.page).toContain('Somebody has moved this to Feb 5, 2027, 9:00 AM. It has not been canceled.')
  }
  const canceled = await press(cancel, list, timeIn(await pageAt('/dashboard/schedule/')))
  expect(canceled.page).toContain('The change of &quot;Planned&quot; has been canceled.')
  expect(canceled.page).toContain('Canceled on')
  expect((await press(cancel, list, {})).page).toContain('This has happened already, or was canceled.')
  const undo = /action="(\/dashboard\/schedule\/[0-9a-f-]{36}\/restore\/)"/.exec(canceled.page)?.[1] ?? ''
  expect((await learner.post(undo, { csrf: tokenIn(list) })).status).toBe(403)
  for (const _ of ['first', 'repeated']) {
    const undone = await press(undo, canceled.page, {})
    expect(undone.page).toContain('The change of &quot;Planned&quot; is planned again.')
    expect(undone.page).toContain('Feb 5, 2027')
  }
})

test('a draft is offered, restored and discarded without JavaScript, never saves itself, and ends with a save', async () => {
  const created = await press(`${path}new/`, await pageAt(`${path}new/`), { name: 'Drafted', intent: 'save' })
  const at = new URL(created.to, 'http://localhost').pathname
  const { draftKey = '', ...fields } = fieldsOf(await pageAt(at))
  const keep = async (synopsis: string, browser = author, headers = {}) => {
    const typed = Object.entries({ ...fields, synopsis })
    const post = { csrf: fields.csrf ?? '', draftKey, fields: JSON.stringify(typed), typedAt: String(Date.now()) }
    return (await browser.post('/dashboard/drafts/', post, headers)).status
  }
  expect(await keep('Typed on the train')).toBe(204)
  expect(await keep('Planted', author, { 'sec-fetch-site': 'cross-site' })).toBeGreaterThanOrEqual(400)
  expect(await keep('Planted', learner)).toBe(403)
  expect((await author.send({ path: '/dashboard/drafts/' })).status).toBe(404)
  const offering = await pageAt(at)
  expect(offering).toContain('You have unsaved changes from')
  expect(fieldsOf(offering).synopsis).toBe('')
  const restored = await press(at, offering, { intent: 'restore-draft' })
  expect(restored.status).toBe(200)
  expect(fieldsOf(restored.page)).toMatchObject({ name: 'Drafted', synopsis: 'Typed on the train', draftKey })
  expect(restored.page).toContain('They are not saved until you press Save.')
  await press(at, offering, { intent: 'discard-draft' })
  expect(await pageAt(at)).not.toContain('You have unsaved changes from')
  const gone = await press(at, offering, { intent: 'restore-draft' })
  expect([gone.status, gone.page.includes('These changes are no longer there.')]).toEqual([422, true])
  await keep('Once more')
  const again = await press(at, await pageAt(at), { intent: 'restore-draft' })
  const saved = await press(at, again.page, { intent: 'save' })
  expect(fieldsOf(saved.page).synopsis).toBe('Once more')
  expect(saved.page).not.toContain('You have unsaved changes from')
})

test('A-203 learners and other sites’ forms do not get in', async () => {
  for (const at of [path, `${path}new/`, '/dashboard/courses-rows/', '/dashboard/courses-modules/']) {
    expect((await learner.send({ path: at })).status, at).toBe(403)
  }
  const page = await pageAt(`${path}new/`)
  const fields = { ...fieldsOf(page), name: 'Planted', intent: 'save' }
  const { status } = await author.post(`${path}new/`, fields, { 'sec-fetch-site': 'cross-site' })
  expect(status).toBeGreaterThanOrEqual(400)
  expect((await learner.post(`${path}new/`, fields)).status).toBe(403)
  expect(await pageAt(`${path}?search=planted`)).not.toContain('Planted')
})
