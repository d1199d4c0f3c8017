/** The dialog of a module in the console, with plain forms. */
import { beforeAll, expect, test } from 'vitest'
import { aPicture } from '../support/attachments.ts'
import { aUser, openTestDatabase, planOf } from '../support/context.ts'
import { aBrowser, type Browser, startServer, type TestServer, tokenIn } from '../support/http.ts'
import { packageZip } from '../support/package-zip.ts'
import { fieldsOf, press as pressIn, pressWithFiles, readPage } from '../support/plain-forms.ts'

let server: TestServer
let author: Browser
let planUid: string

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    const { siteId } = await aUser(db, { email: 'author@titrate.example', groups: ['authors'] })
    await aUser(db, { email: 'admin@titrate.example', groups: ['admins'] })
    const id = await planOf(db, siteId, 'Full Access')
    planUid = (await db.selectFrom('access_plans').select('uid').where('id', '=', id).executeTakeFirstOrThrow()).uid
    await close()
  })
  author = aBrowser(server)
  await author.signIn('author@titrate.example')
})

const pageAt = (at: string) => readPage(author, at)
const press = (at: string, page: string, changes: Record<string, string>) => pressIn(author, at, page, changes)

type File = Parameters<typeof pressWithFiles>[2]['files'][number]

const saveWith = (at: string, page: string, changes: Record<string, string>, file: File) =>
  pressWithFiles(author, at, { page, changes: { ...changes, intent: 'save' }, files: [file] })

/** Creates a module, with one file in each post, until it is saved. Returns its address and its page. */
async function aSaved(name: string) {
  const at = '/dashboard/modules/new/'
  const cover = { field: 'coverImg', name: 'plate.png', type: 'image/png', bytes: await aPicture() }
  const zip = { field: 'cmi5Zip', name: 'package.zip', type: 'application/zip', bytes: packageZip() }
  const typed = { name, coverImgDesc: 'A plate', accessPlanUids: planUid, tags: 'Assays, "Dose, response"' }
  const withCover = await saveWith(at, await pageAt(at), typed, cover)
  const saved = await saveWith(at, withCover.page, {}, zip)
  return { saved, at: new URL(saved.to, 'http://localhost').pathname }
}

test('a refused form keeps what was typed and the valid file, and a file of the wrong kind has its message', async () => {
  const at = '/dashboard/modules/new/'
  const cover = { field: 'coverImg', name: 'plate.png', type: 'image/png', bytes: await aPicture() }
  const refused = await saveWith(at, await pageAt(at), { name: 'Kept', tags: 'Assays, "Dose, response"' }, cover)
  expect(refused.status).toBe(400)
  for (const text of ['Cover image description is required', 'Please upload a CMI5 zip file']) {
    expect(refused.page).toContain(text)
  }
  expect(refused.page).not.toContain('Cover image is required')
  const kept = { name: 'Kept', tags: 'Assays, "Dose, response"', 'coverImg-fileName': 'plate.png' }
  expect(fieldsOf(refused.page)).toMatchObject(kept)
  const notes = { field: 'cmi5Zip', name: 'notes.txt', type: 'text/plain', bytes: 'no package' }
  const typed = { coverImgDesc: 'A plate', accessPlanUids: planUid }
  const wrong = await saveWith(at, refused.page, typed, notes)
  expect([wrong.status, wrong.page.includes('Invalid file type')]).toEqual([400, true])
  expect(fieldsOf(wrong.page)).toMatchObject({ ...kept, ...typed })
})

test('A-138 A-140 A-143 A-246 A-271 a module is saved, published and unpublished, and unsaved changes are neither previewed nor published', async () => {
  const { saved, at } = await aSaved('Plain module')
  expect(saved.page).toContain('Module has been saved.')
  expect(saved.page).toContain('Edit Module')
  await expect
    .poll(async () => (await pageAt(at)).includes('The package of v1 is ready'), { timeout: 15_000 })
    .toBe(true)
  const page = await pageAt(at)
  for (const [intent, problem] of [
    ['preview', 'Module needs to be saved before previewing'],
    ['publish', 'Module needs to be saved before publishing/unpublishing'],
  ] as const) {
    const refused = await press(at, page, { name: 'Not saved', intent })
    expect([refused.status, refused.page.includes(problem)], intent).toEqual([422, true])
    expect(fieldsOf(refused.page).name).toBe('Not saved')
  }
  const asked = await press(at, page, { intent: 'publish' })
  expect(asked.page).toContain('Do you want to publish this module?')
  const published = await press(asked.to, asked.page, { intent: 'publish' })
  expect(published.page).toContain('Module &quot;Plain module&quot; has been published.')
  const editing = await pageAt(at)
  expect(editing).toContain('UNPUBLISH')
  const askedBack = await press(at, editing, { intent: 'publish' })
  const unpublished = await press(askedBack.to, askedBack.page, { intent: 'unpublish' })
  expect(unpublished.page).toContain('Module &quot;Plain module&quot; has been unpublished.')
})

test('A-074 A-272 a module is removed after DELETE is typed, and Undo brings it back', async () => {
  const { at } = await aSaved('Short-lived module')
  const asked = await pageAt(`${at}delete/`)
  for (const text of [
    'Are you sure you want to remove this module?',
    'All related CMI5 content is removed with it.',
    'This may affect the progress of learners who have started it.',
  ]) {
    expect(asked).toContain(text)
  }
  const refused = await press(`${at}delete/`, asked, { confirmation: 'Delete' })
  expect(refused.page).toContain('Please enter the confirmation text above')
  const removed = await press(`${at}delete/`, asked, { confirmation: 'DELETE' })
  expect(removed.page).toContain('Module &quot;Short-lived module&quot; has been deleted')
  expect((await author.send({ path: at })).status).toBe(404)
  const { headers } = await author.post(`${at}restore/`, { csrf: tokenIn(removed.page) })
  expect(await pageAt(String(headers.location))).toContain('Module &quot;Short-lived module&quot; is back.')
  expect(await pageAt(at)).toContain('Short-lived module')
})

test('A-064 A-065 A-066 A-067 A-071 the dialog has two tabs with all fields, and buttons that follow the status', async () => {
  const { at } = await aSaved('Whole module')
  const [created, saved] = [await pageAt('/dashboard/modules/new/'), await pageAt(at)]
  for (const page of [created, saved]) {
    for (const text of [
      ...['Details', 'Content', 'Name', 'Cover image', 'Cover image description', 'Chapter'],
      ...['Groups with access', 'Topics', 'Description', 'Add to Modules page', 'Coming Soon'],
    ]) {
      expect(page).toMatch(new RegExp(`>${text}`))
    }
    // what is accepted.
    expect(page).toContain('PNG or JPG, up to 1 MB. Recommended PNG 700x394 (16:9).')
    expect(page).toContain('A .zip package, up to 50 MB. Quizzes are built in your external authoring system')
    for (const button of ['Save', 'PREVIEW', 'PUBLISH']) expect(page).toMatch(new RegExp(`<button[^>]*>${button}<`))
    expect(page).toMatch(/<a [^>]*>Close</)
  }
  const publishIn = (page: string) => /<button[^>]*value="publish"[^>]*>/.exec(page)?.[0] ?? ''
  expect(publishIn(created)).toContain('disabled')
  await expect
    .poll(async () => (await pageAt(at)).includes('The package of v1 is ready'), { timeout: 15_000 })
    .toBe(true)
  const asked = await press(at, await pageAt(at), { intent: 'publish' })
  await press(asked.to, asked.page, { intent: 'publish' })
  const published = await pageAt(at)
  expect(published).toMatch(/<button[^>]*>UNPUBLISH</)
  const lookOf = (page: string) => /class="([^"]*)"/.exec(publishIn(page))?.[1]
  expect(lookOf(published)).not.toBe(lookOf(saved))
})

test('A-053 A-054 A-055 A-058 A-061 a row has its columns, and leads to the courses, the report and the dialogs', async () => {
  const { at } = await aSaved('Rowed module')
  const page = await pageAt('/dashboard/modules/?search=Rowed')
  const heads = [...page.matchAll(/<th\b[^>]*>(.*?)<\/th>/gs)].map(([, head = '']) =>
    head.replace(/<[^>]*>/g, '').trim(),
  )
  expect(heads.filter((head) => head !== '')).toEqual(
    expect.arrayContaining([
      ...['Name', 'Status', 'Tags', 'Courses', 'Groups with Access', 'Author', 'Version', 'Last Updated'],
      ...['Completions', 'Avg. score'],
    ]),
  )
  const row = page.slice(page.indexOf('>Rowed module<'))
  for (const text of ['Assays', 'Full Access', 'Ada O.', 'v1', 'Draft', 'N/A']) expect(row).toContain(`>${text}<`)
  for (const [label, to] of [
    ['View the courses with Rowed module', `${at}courses/`],
    ['View the report of Rowed module', `${at}report/`],
    ['Edit Rowed module', at],
    ['Remove Rowed module', `${at}delete/`],
  ]) {
    const link = new RegExp(`<a [^>]*aria-label="${label}"[^>]*>`).exec(page)?.[0]
    expect(link).toContain(`href="${to}`)
  }
  expect(page).toContain('aria-label="Preview Rowed module')
  expect(page).toContain('CREATE MODULE')
  expect(page).toContain('placeholder="Search topic or name"')
  expect(await pageAt('/dashboard/modules/?search=assays')).toContain('>Rowed module<')
  expect(await pageAt('/dashboard/modules/?search=nothing-like-it')).not.toContain('>Rowed module<')
})

test('for admins, the report of a module leads to its answers and times', async () => {
  const { at } = await aSaved('Reported')
  const admin = aBrowser(server)
  await admin.signIn('admin@titrate.example')
  const uid = at.split('/').at(-2)
  const links = (page: string) =>
    [...page.matchAll(/href="\/dashboard\/reports\/(modules-[^"]*)"/g)].map(([, to = '']) =>
      to.replaceAll('&amp;', '&'),
    )
  const ofModule = (id: string) => `modules-${id}/?period=all_time&module=${uid}`
  const expected = ['quiz-answers', 'survey', 'time-to-complete'].map(ofModule)
  expect(links(await readPage(admin, `${at}report/`))).toEqual(expected)
  for (const to of expected) expect((await admin.send({ path: `/dashboard/reports/${to}` })).status, to).toBe(200)
  expect(links(await pageAt(`${at}report/`)), 'reports are for admins').toEqual([])
})
