/** Previews and preview links, and the checks before publishing, with plain pages. */
import { beforeAll, expect, test } from 'vitest'
import { aUser, openTestDatabase } from '../support/context.ts'
import { aVideo } from '../support/films.ts'
import { aBrowser, type Browser, startServer, type TestServer } from '../support/http.ts'
import { press, readPage } from '../support/plain-forms.ts'

const draftFilm = '/films/reaching-steady-state-titrate.mp4'

let server: TestServer
let author: Browser
let learner: Browser
let other: Browser
let stranger: Browser
let draft: { uid: string; name: string }

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    await aUser(db, { email: 'author@titrate.example', groups: ['authors'], firstName: 'Ana', lastName: 'Moreau' })
    await aUser(db, { email: 'learner@titrate.example', plan: null })
    await aUser(db, { email: 'other@titrate.example', plan: null })
    draft = await aVideo(db, { status: 'draft', name: 'A film to preview', plans: [], videoUrl: draftFilm })
    await close()
  })
  ;[author, learner, other, stranger] = [aBrowser(server), aBrowser(server), aBrowser(server), aBrowser(server)]
  await author.signIn('author@titrate.example')
  await learner.signIn('learner@titrate.example')
  await other.signIn('other@titrate.example')
})

const statusOf = async (browser: Browser, path: string) => (await browser.send({ path })).status
const dialog = () => `/dashboard/videos/${draft.uid}/preview/`

test('the question before publishing, the schedule and the edit dialog say what is worth a look', async () => {
  const problem = 'No group has access, so no learner will see it.'
  for (const place of ['publish/', 'schedule/', '']) {
    const page = await readPage(author, `/dashboard/videos/${draft.uid}/${place}`)
    expect(page).toContain(problem)
    expect(page).toContain('This video has no captions')
  }
  expect(await readPage(author, `/dashboard/videos/${draft.uid}/`)).toContain('2 things to check')
})

test('a colleague opens the link that an author makes, until it is revoked', async () => {
  const page = await readPage(author, dialog())
  expect(page).toContain('Free Access')
  const made = await press(author, dialog(), page, { intent: 'create' })
  expect(made.status).toBe(200)
  const [, path = ''] = /(\/previews\/link\/[\w-]+\/)/.exec(made.page) ?? []
  const seen = await readPage(learner, path)
  expect(seen).toContain('A film to preview')
  expect(seen).toContain('Preview as a learner of')
  expect(seen).not.toContain('/dashboard/')
  // The browser fetches the film itself, and only with the cookie of the preview.
  expect((await learner.send({ path: draftFilm })).status).toBe(200)
  expect((await other.send({ path: draftFilm })).status).toBe(404)
  const later = await readPage(author, dialog())
  expect(later).toContain('made by Ana Moreau, until')
  expect(later).not.toContain(path)
  const [, linkUid = ''] = /name="linkUid" value="([^"]+)"/.exec(later) ?? []
  const revoked = await press(author, dialog(), later, { intent: 'revoke', linkUid })
  expect(revoked.status).toBe(302)
  expect(await statusOf(learner, path)).toBe(404)
  expect((await learner.send({ path: draftFilm })).status).toBe(404)
})

test('who is signed out logs in first, and everybody else gets the page of what does not exist', async () => {
  const { status, headers } = await stranger.send({ path: '/previews/link/abc/' })
  expect(status).toBe(302)
  expect(headers.location).toContain('/login/')
  expect(await statusOf(learner, '/previews/link/abc/')).toBe(404)
  expect(await statusOf(learner, dialog())).toBe(403)
  expect(await statusOf(learner, `/previews/videos/${draft.uid}/?plan=${draft.uid}`)).toBe(403)
  expect(await statusOf(author, `/previews/videos/${draft.uid}/?plan=${draft.uid}`)).toBe(404)
  expect(await statusOf(author, `/previews/users/${draft.uid}/`)).toBe(404)
})
