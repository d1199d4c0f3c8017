/** The source, captions and transcript in the dialogs of lectures and videos, with plain forms. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { aPicture } from '../support/attachments.ts'
import { aUser, openTestDatabase, planOf } from '../support/context.ts'
import { aBrowser, type Browser, startServer, type TestServer } from '../support/http.ts'
import { fieldsOf, press as pressIn, pressWithFiles, readPage } from '../support/plain-forms.ts'

const mp4 = readFileSync('public/films/welcome-titrate.mp4')
const vtt = (text: string) => `WEBVTT\n\n00:01.000 --> 00:02.000\n${text}\n`

let server: TestServer
let ada: Browser
let lin: Browser
let learner: Browser
let planUid: string

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    for (const name of ['ada', 'lin']) await aUser(db, { email: `${name}@titrate.example`, groups: ['authors'] })
    await aUser(db, { email: 'learner@titrate.example', plan: 'Full Access' })
    const site = db.selectFrom('sites').select('id').where('key', '=', 'institutional')
    const id = await planOf(db, (await site.executeTakeFirstOrThrow()).id, 'Full Access')
    planUid = (await db.selectFrom('access_plans').select('uid').where('id', '=', id).executeTakeFirstOrThrow()).uid
    await close()
  })
  ;[ada, lin, learner] = [aBrowser(server), aBrowser(server), aBrowser(server)]
  await ada.signIn('ada@titrate.example')
  await lin.signIn('lin@titrate.example')
  await learner.signIn('learner@titrate.example')
})

const pageAt = (at: string, browser = ada) => readPage(browser, at)
const press = (at: string, page: string, changes: Record<string, string>, browser = ada) =>
  pressIn(browser, at, page, changes)
const captionsFile = (field: string, text: string) => ({ field, name: 'words.vtt', type: 'text/vtt', bytes: vtt(text) })

describe.each([
  { kind: 'lecture', title: 'Lecture', own: { questionsMarkdown: 'Why?' } },
  { kind: 'video', title: 'Video', own: { category: 'expert' } },
] as { kind: string; title: string; own: Record<string, string> }[])('$kind', ({ kind, title, own }) => {
  const path = `/dashboard/${kind}s/`

  async function aSaved(
    name: string,
    changes: Record<string, string> = {},
    files: ReturnType<typeof captionsFile>[] = [],
  ) {
    const at = `${path}new/`
    const typed = {
      name,
      description: 'What it is about',
      coverImgDesc: 'A plate',
      videoUrl: '/films/plates.mp4',
      accessPlanUids: planUid,
      ...own,
      ...changes,
      intent: 'save',
    }
    const cover = { field: 'coverImg', name: 'plate.png', type: 'image/png', bytes: await aPicture() }
    const saved = await pressWithFiles(ada, at, {
      page: await pageAt(at),
      changes: typed,
      files: [cover as never, ...files],
    })
    expect(saved.page).toContain(`${title} has been saved.`)
    return { at: new URL(saved.to, 'http://localhost').pathname, page: saved.page }
  }

  test('A-085 A-176 an uploaded film, captions and a transcript survive a refusal, are saved and are watched', async () => {
    const at = `${path}new/`
    const refused = await pressWithFiles(ada, at, {
      page: await pageAt(at),
      changes: {
        name: '',
        description: 'About it',
        coverImgDesc: 'A plate',
        accessPlanUids: planUid,
        status: 'published',
        videoSource: 'file',
        captionsNewLanguage: 'de',
        transcript: '00:01 Spoken <b>words</b>\nno time',
        ...own,
        intent: 'save',
      },
      files: [
        { field: 'coverImg', name: 'plate.png', type: 'image/png', bytes: await aPicture() },
        { field: 'videoFile', name: 'talk.mp4', type: 'video/mp4', bytes: mp4 },
        captionsFile('captionsNew', 'Guten Tag'),
      ],
    })
    expect(refused.status).toBe(400)
    for (const text of [`${title} name is required`, 'Line 2: Begin with a time such as 01:30.']) {
      expect(refused.page).toContain(text)
    }
    expect(fieldsOf(refused.page)).toMatchObject({
      videoSource: 'file',
      'videoFile-fileName': 'talk.mp4',
      'captionsNew-fileName': 'words.vtt',
      captionsNewLanguage: 'de',
      transcript: '00:01 Spoken <b>words</b>\nno time',
    })
    const name = `Uploaded ${kind}`
    const transcript = '00:01 Spoken <b>words</b>'
    const saved = await press(at, refused.page, { name, transcript, intent: 'save' })
    expect(saved.page).toContain(`${title} has been saved.`)
    const fields = fieldsOf(saved.page)
    expect(fields).toMatchObject({ videoSource: 'file', videoUrl: '', 'captions-de-fileName': 'words.vtt', transcript })
    const uid = /s\/([0-9a-f-]{36})\//.exec(saved.to)?.[1] ?? ''
    const watched = await pageAt(`/${kind}s/${uid}/`, learner)
    for (const text of [
      `/film-files/${kind}s/${uid}.mp4`,
      `/captions/${kind}s/${uid}.de.vtt`,
      'Spoken &lt;b&gt;words&lt;/b&gt;',
      'Duration: 00:17',
    ]) {
      expect(watched).toContain(text)
    }
    // Without its file, the film keeps nothing to play.
    const without = await press(saved.to, saved.page, { 'videoFile-remove': 'on', videoFile: '', intent: 'save' })
    expect([without.status, without.page.includes('Please upload a video file')]).toEqual([400, true])
  })

  test('A-161 the preview plays what the form has: a film that is not saved, its captions and its transcript', async () => {
    const at = `${path}new/`
    const preview = await pressWithFiles(ada, at, {
      page: await pageAt(at),
      changes: {
        name: 'Unsaved',
        videoSource: 'file',
        captionsNewLanguage: 'fr',
        ...own,
        intent: 'watch',
      },
      files: [
        { field: 'videoFile', name: 'talk.mp4', type: 'video/mp4', bytes: mp4 },
        captionsFile('captionsNew', 'Bonjour'),
      ],
    })
    expect(preview.status).toBe(200)
    for (const text of [`Preview ${title}`, 'Bonjour', 'Duration: 00:17', 'srcLang="fr"']) {
      expect(preview.page).toContain(text)
    }
    const [, film = ''] = /<video [^>]*src="(\/files\/[^"]+)"/.exec(preview.page) ?? []
    const [, words = ''] = /<track [^>]*src="(\/files\/[^"]+)"/.exec(preview.page) ?? []
    const reply = await ada.send({ path: film, headers: { range: 'bytes=0-9' } })
    expect([reply.status, reply.headers['content-type']]).toEqual([206, 'video/mp4'])
    expect((await ada.send({ path: words })).text).toBe(vtt('Bonjour'))
    for (const address of [film, words]) expect((await learner.send({ path: address })).status).toBe(404)
    const back = await press(at, preview.page, { intent: 'exit' })
    expect(fieldsOf(back.page)).toMatchObject({ name: 'Unsaved', 'videoFile-fileName': 'talk.mp4' })
    const bad = await press(at, back.page, { transcript: 'no time', intent: 'watch' })
    expect([bad.status, bad.page.includes('Line 1: Begin with a time such as 01:30.')]).toEqual([422, true])
    const none = await press(at, await pageAt(at), { videoSource: 'file', intent: 'watch' })
    expect(none.page).toContain(`Can&#x27;t preview ${kind} - please make sure that video embed code is entered`)
  })

  test('a draft of the form brings uploaded files back by their names', async () => {
    const at = `${path}new/`
    const page = await pageAt(at)
    const { uid = '' } = fieldsOf(page)
    const stored = `${uid}.mp4`
    const fields = [
      ['uid', uid],
      ['name', 'Typed before the crash'],
      ['videoSource', 'file'],
      ['videoFile', stored],
      ['videoFile-fileName', 'talk.mp4'],
      ['videoFile-fileSize', '1024'],
      ['captions-de', `${uid}.vtt`],
      ['captions-de-fileName', 'worte.vtt'],
      ['transcript', '00:01 Typed'],
    ]
    const restored = await press(at, page, {
      intent: 'restore-draft',
      offeredDraftKey: `${kind}:new:${uid}`,
      offeredDraft: JSON.stringify(fields),
      offeredDraftAt: '1',
    })
    expect(fieldsOf(restored.page)).toMatchObject(Object.fromEntries(fields))
    for (const text of ['talk.mp4', 'worte.vtt', 'German']) expect(restored.page).toContain(text)
  })

  test('publishing and scheduling without captions say who is left out', async () => {
    const leftOut = 'It leaves out people who are deaf or hard of hearing'
    const { at, page } = await aSaved(`Silent ${kind}`)
    expect(await pageAt(`${at}publish/`)).toContain(leftOut)
    expect(await pageAt(`${at}schedule/`)).toContain(leftOut)
    await press(at, page, { transcript: '00:01 Hello', transcriptAsCaptions: 'on', intent: 'save' })
    expect(await pageAt(`${at}publish/`)).not.toContain('It leaves out')
    expect(await pageAt(`${at}schedule/`)).not.toContain('It leaves out')
  })

  test('a second author is told about captions and a source that both changed, and adopts the others', async () => {
    const { at } = await aSaved(`Shared ${kind}`, { captionsNewLanguage: 'en' }, [captionsFile('captionsNew', 'Hello')])
    const [first, second] = [await pageAt(at, lin), await pageAt(at)]
    await pressWithFiles(lin, at, {
      page: first,
      changes: { videoSource: 'file', captionsNewLanguage: 'de', transcript: '00:01 Of Lin', intent: 'save' },
      files: [
        { field: 'videoFile', name: 'lin.mp4', type: 'video/mp4', bytes: mp4 },
        captionsFile('captionsNew', 'Hallo'),
      ],
    })
    const told = await press(at, second, { transcript: '00:01 Mine', intent: 'save' })
    expect(told.status).toBe(409)
    expect(told.page).toContain('There is a different text now.')
    expect(fieldsOf(told.page)).toMatchObject({
      transcript: '00:01 Mine',
      videoSource: 'file',
      'videoFile-fileName': 'lin.mp4',
      'captions-de-fileName': 'words.vtt',
      'captions-en-fileName': 'words.vtt',
    })
    const saved = await press(at, told.page, { intent: 'save' })
    expect(fieldsOf(saved.page)).toMatchObject({ transcript: '00:01 Mine', 'videoFile-fileName': 'lin.mp4' })
  })

  test('the history shows what was saved, and restores it after a question', async () => {
    const { at, page } = await aSaved(`Remembered ${kind}`, { transcript: '00:01 One word' })
    expect(page).toContain(`href="${at}history/"`)
    await press(at, page, { transcript: '00:01 Another word', videoUrl: '/films/other.mp4', intent: 'save' })
    const history = await pageAt(`${at}history/`, lin)
    for (const text of ['Saved', 'Created', '/films/other.mp4', 'Transcript']) expect(history).toContain(text)
    const asked = await pageAt(`${at}history/0/`, lin)
    for (const text of ['Video URL', '/films/plates.mp4']) expect(asked).toContain(text)
    const restored = await press(`${at}history/0/`, asked, {}, lin)
    expect(restored.status).toBe(302)
    expect(fieldsOf(await pageAt(at))).toMatchObject({ transcript: '00:01 One word', videoUrl: '/films/plates.mp4' })
    for (const address of [`${at}history/`, `${at}history/0/`]) {
      expect((await learner.send({ path: address })).status).toBe(403)
    }
    expect((await ada.send({ path: `${at}history/99/` })).status).toBe(404)
  })
})
