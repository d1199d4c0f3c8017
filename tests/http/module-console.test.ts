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

test('a module is saved, published and unpublished, and unsaved changes are neither previewed nor published', async () => {
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

test('a module is removed after DELETE is typed, and Undo brings it back', async () => {
  const { at } = await aSaved('Short-lived module')
  const asked = await pageAt(`${at}delete/`)
  expect(asked).toContain('Are you sure you want to remove this module?')
  const refused = await press(`${at}delete/`, asked, { confirmation: 'Delete' })
  expect(refused.page).toContain('Please enter the confirmation text above')
  const removed = await press(`${at}delete/`, asked, { confirmation: 'DELETE' })
  expect(removed.page).toContain('Module &quot;Short-lived module&quot; has been deleted')
  expect((await author.send({ path: at })).status).toBe(404)
  const { headers } = await author.post(`${at}restore/`, { csrf: tokenIn(removed.page) })
  expect(await pageAt(String(headers.location))).toContain('Module &quot;Short-lived module&quot; is back.')
  expect(await pageAt(at)).toContain('Short-lived module')
})
