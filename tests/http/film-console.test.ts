/** The sections for lectures and videos of the console, with plain forms. */
import { beforeAll, describe, expect, test } from 'vitest'
import { aPicture } from '../support/attachments.ts'
import { aUser, openTestDatabase, planOf } from '../support/context.ts'
import { aBrowser, type Browser, startServer, type TestServer, tokenIn } from '../support/http.ts'
import { fieldsOf, press as pressIn, pressWithFiles, readPage } from '../support/plain-forms.ts'

let server: TestServer
let author: Browser
let admin: Browser
let learner: Browser
let planUid: string

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    await aUser(db, { email: 'author@titrate.example', groups: ['authors'] })
    await aUser(db, { email: 'admin@titrate.example', groups: ['admins'] })
    await aUser(db, { email: 'learner@titrate.example', plan: 'Full Access' })
    const { id: siteId } = await db
      .selectFrom('sites')
      .select('id')
      .where('key', '=', 'institutional')
      .executeTakeFirstOrThrow()
    const id = await planOf(db, siteId, 'Full Access')
    planUid = (await db.selectFrom('access_plans').select('uid').where('id', '=', id).executeTakeFirstOrThrow()).uid
    await close()
  })
  ;[author, admin, learner] = [aBrowser(server), aBrowser(server), aBrowser(server)]
  await author.signIn('author@titrate.example')
  await admin.signIn('admin@titrate.example')
  await learner.signIn('learner@titrate.example')
})

const pageAt = (at: string, browser = author) => readPage(browser, at)
const press = (at: string, page: string, changes: Record<string, string>) => pressIn(author, at, page, changes)

/** Posts a form with a cover, as a browser without JavaScript does. */
async function sendWithCover(at: string, page: string, changes: Record<string, string>) {
  const cover = { field: 'coverImg', name: 'plate.png', type: 'image/png', bytes: await aPicture() }
  return pressWithFiles(author, at, { page, changes, files: [cover] })
}

describe.each([
  { kind: 'lecture', title: 'Lecture', own: { questionsMarkdown: '1. **Why** this?', inLecturesPage: 'on' } },
  { kind: 'video', title: 'Video', own: { category: 'case_study' } },
] as { kind: 'lecture' | 'video'; title: string; own: Record<string, string> }[])('$kind', ({ kind, title, own }) => {
  const path = `/dashboard/${kind}s/`

  const typed = (name: string): Record<string, string> => ({
    name,
    description: 'What it is about',
    coverImgDesc: 'A plate',
    presenter: 'Ines Halvorsen',
    tags: 'Assays',
    videoUrl: '/films/plates.mp4',
    accessPlanUids: planUid,
    phases: 'Discover',
    ...own,
  })

  async function aSaved(name: string, changes: Record<string, string> = {}) {
    const at = `${path}new/`
    const withCover = await sendWithCover(at, await pageAt(at), { ...typed(''), intent: 'save' })
    const saved = await press(at, withCover.page, { name, ...changes, intent: 'save' })
    return { at: new URL(saved.to, 'http://localhost').pathname, page: saved.page }
  }

  test('A-079 A-085 A-171 A-270 it is created, found, changed and shown to learners without JavaScript', async () => {
    const at = `${path}new/`
    const empty = await press(at, await pageAt(at), { intent: 'save' })
    expect(empty.status).toBe(400)
    const texts = [
      `${title} name is required`,
      'Cover image is required',
      'Cover image description is required',
      'At least one access plan is required',
      'Description is required',
      'Video URL is required',
      kind === 'lecture' ? 'Guiding questions are required' : 'Category is required',
    ]
    // what a film requires.
    for (const text of texts) expect(empty.page).toContain(text)
    // The cover is kept although something else was refused.
    const refused = await sendWithCover(at, empty.page, { ...typed(' '), intent: 'save' })
    expect(refused.status).toBe(400)
    expect(fieldsOf(refused.page)).toMatchObject({ description: 'What it is about', 'coverImg-fileName': 'plate.png' })
    const saved = await press(at, refused.page, { name: `Plain ${kind}`, intent: 'save' })
    expect(saved.page).toContain(`${title} has been saved.`)
    expect(saved.page).toContain(`Edit ${title}`)
    expect(fieldsOf(saved.page)).toMatchObject({ name: `Plain ${kind}`, status: 'draft', tags: 'Assays' })
    // what a cover may be. A-121: the status, the phases and the groups as the form has them.
    expect(saved.page).toContain('png or jpg, 1 MB. Recommended 700 x 394 (16:9).')
    expect(fieldsOf(saved.page)).toMatchObject({ status: 'draft', phases: 'Discover', accessPlanUids: planUid })
    for (const button of ['PREVIEW', 'PUBLISH', 'Save', 'Close']) expect(saved.page).toContain(button)
    expect(await pageAt(`${path}?search=ASSAY`)).toContain(`Plain ${kind}`)
    const table = await pageAt(`${path}?search=PLAIN`)
    for (const text of [`Manage ${title}s`, `Plain ${kind}`, 'Draft', 'Discover', 'Assays', 'Ines Halvorsen']) {
      expect(table).toContain(text)
    }
    const again = await press(saved.to, saved.page, { status: 'published', description: 'Newer words', intent: 'save' })
    expect(again.page).toContain(`${title} has been saved.`)
    const shown = await pageAt(`/${kind}s/`, learner)
    expect(shown).toContain('Newer words')
    // the viewer has the title, the cover and the presenter.
    const [, viewer = ''] = new RegExp(`href="(/${kind}s/[^"?]+/)[^>]*>Plain ${kind}<`).exec(shown) ?? []
    const watched = await pageAt(viewer, learner)
    for (const text of [`Plain ${kind}</h1>`, 'PRESENTER', 'Ines Halvorsen', '/films/plates.mp4']) {
      expect(watched).toContain(text)
    }
    expect(watched).toMatch(/<video [^>]*poster="[^"]+"/)
  })

  test('A-142 A-161 A-093 the preview shows what the form has, saved or not, and Exit leads back to it', async () => {
    const at = `${path}new/`
    const page = await pageAt(at)
    const without = await press(at, page, { intent: 'watch' })
    expect(without.status).toBe(422)
    expect(without.page).toContain(`Can&#x27;t preview ${kind} - please make sure that video embed code is entered`)
    const preview = await press(at, page, { ...typed('Unsaved <b>name</b>'), coverImgDesc: '', intent: 'watch' })
    expect(preview.status).toBe(200)
    // the preview has what the form has, and no neighbors.
    for (const text of [
      `Preview ${title}`,
      'Unsaved &lt;b&gt;name&lt;/b&gt;',
      'PRESENTER',
      'Ines Halvorsen',
      '/films/plates.mp4',
    ]) {
      expect(preview.page).toContain(text)
    }
    if (kind === 'lecture') expect(preview.page).toContain('<strong>Why</strong> this?')
    for (const text of ['Previous', 'Next lecture', 'I have watched this']) expect(preview.page).not.toContain(text)
    const back = await press(at, preview.page, { intent: 'exit' })
    expect(back.page).not.toContain(`Preview ${title}`)
    expect(fieldsOf(back.page)).toMatchObject({
      name: 'Unsaved <b>name</b>',
      videoUrl: '/films/plates.mp4',
      phases: 'Discover',
    })
    expect(await pageAt(`${path}?search=unsaved`)).not.toContain('Unsaved &lt;b')
    const bad = await press(at, page, { ...typed('Bad'), videoUrl: 'javascript:alert(1)', intent: 'watch' })
    expect([bad.status, bad.page.includes('This is not the address of a video')]).toEqual([422, true])
  })

  test('A-087 A-137 A-139 only what is saved is published, after a question', async () => {
    const { at, page } = await aSaved(`Asked ${kind}`)
    const refused = await press(at, page, { description: 'Changed', intent: 'publish' })
    expect(refused.status).toBe(422)
    expect(refused.page).toContain(`${title} needs to be saved before publishing/unpublishing`)
    expect(refused.page).toContain('Changed')
    const asked = await press(at, page, { intent: 'publish' })
    expect(asked.page).toContain(`Publish ${title}`)
    expect(asked.page).toContain(`Do you want to publish this ${kind}?`)
    const published = await press(asked.to, asked.page, { intent: 'publish' })
    expect(published.page).toContain(`${title} &quot;Asked ${kind}&quot; has been published.`)
    expect(published.page).toContain(`Manage ${title}s`)
    const editing = await pageAt(at)
    expect(editing).toContain('UNPUBLISH')
    const askedBack = await press(at, editing, { intent: 'publish' })
    expect(askedBack.page).toContain(`Do you want to unpublish this ${kind}?`)
    const unpublished = await press(askedBack.to, askedBack.page, { intent: 'unpublish' })
    expect(unpublished.page).toContain(`${title} &quot;Asked ${kind}&quot; has been unpublished.`)
    expect(await pageAt(`/${kind}s/`, learner)).not.toContain(`Asked ${kind}`)
  })

  test('a second author is told about a field that both changed, and other fields are merged', async () => {
    const { at, page } = await aSaved(`Shared ${kind}`)
    await press(at, page, { description: 'Of the first', presenter: 'First', intent: 'save' })
    const told = await press(at, page, { description: 'Of the second', intent: 'save' })
    expect(told.status).toBe(409)
    expect(told.page).toContain('It is now “Of the first”.')
    expect(fieldsOf(told.page)).toMatchObject({ description: 'Of the second', presenter: 'First' })
    const saved = await press(at, told.page, { intent: 'save' })
    expect(fieldsOf(saved.page)).toMatchObject({ description: 'Of the second', presenter: 'First' })
  })

  test('A-088 A-273 it is removed after DELETE is typed, and Undo brings it back', async () => {
    const { at, page } = await aSaved(`Short-lived ${kind}`)
    const asked = await pageAt(`${at}delete/`)
    expect(asked).toContain(`Are you sure you want to delete the selected ${kind}?`)
    for (const confirmation of ['', 'delete', 'DELETE ']) {
      const refused = await press(`${at}delete/`, asked, { confirmation })
      expect(refused.page).toContain('Please enter the confirmation text above')
    }
    const removed = await press(`${at}delete/`, asked, { confirmation: 'DELETE' })
    expect(removed.page).toContain(`${title} &quot;Short-lived ${kind}&quot; has been deleted`)
    expect((await author.send({ path: at })).status).toBe(404)
    const again = await author.post(`${at}delete/`, { csrf: tokenIn(removed.page), confirmation: 'DELETE' })
    expect(await pageAt(String(again.headers.location))).toContain('It has been removed already.')
    const late = await press(at, page, { description: 'Typed too late', intent: 'save' })
    expect([late.status, late.page.includes('Typed too late')]).toEqual([404, true])
    const { headers } = await author.post(`${at}restore/`, { csrf: tokenIn(removed.page) })
    expect(await pageAt(String(headers.location))).toContain('is back.')
    expect(await pageAt(at)).toContain(`Short-lived ${kind}`)
  })

  test('A-199 A-200 it is for admins and authors, and not for learners or other sites’ forms', async () => {
    expect(await pageAt(path, admin)).toContain(`Manage ${title}s`)
    for (const at of [path, `${path}new/`, `/dashboard/${kind}s-rows/`]) {
      expect((await learner.send({ path: at })).status, at).toBe(403)
    }
    const fields = { ...fieldsOf(await pageAt(`${path}new/`)), ...typed('Planted'), intent: 'save' }
    const { status } = await author.post(`${path}new/`, fields, { 'sec-fetch-site': 'cross-site' })
    expect(status).toBeGreaterThanOrEqual(400)
    expect((await learner.post(`${path}new/`, fields)).status).toBe(403)
    expect(await pageAt(`${path}?search=planted`)).not.toContain('Planted')
  })

  test('the table in the browser reads its rows, its changes and the groups to filter by', async () => {
    const { at } = await aSaved(`Listed ${kind}`)
    const json = async (query: string) =>
      JSON.parse((await author.send({ path: `/dashboard/${kind}s-rows/?${query}` })).text)
    const { rows, next } = await json('')
    expect([rows.some(({ uid }: { uid: string }) => at.includes(uid)), next]).toEqual([true, null])
    expect(await json('options=group&search=full')).toEqual([{ value: planUid, label: 'Full Access' }])
    expect(await json('options=nothing')).toEqual([])
    expect(await json('since=nonsense')).toBeNull()
  })
})

test('A-083 while Coming Soon is ticked, the status is disabled and stays', async () => {
  const at = '/dashboard/lectures/new/'
  const given = { comingSoon: 'on', status: 'published', intent: 'save' }
  const { page } = await press(at, await pageAt(at), given)
  expect(page).toMatch(/<select [^>]*name="status"[^>]* disabled=""|<select [^>]* disabled=""[^>]*name="status"/)
  expect(fieldsOf(page).status).toBe('published')
})
