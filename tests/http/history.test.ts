/** The history and the trash of the console, with plain forms. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createCourse } from '~/services/courses/create-course.server.ts'
import { deleteCourse } from '~/services/courses/publish-course.server.ts'
import { updateCourse } from '~/services/courses/save-course.server.ts'
import { createGlossaryTerm, deleteGlossaryTerm, updateGlossaryTerm } from '~/services/glossary/save-term.server.ts'
import { updateModule } from '~/services/modules/save-module.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser, openTestDatabase, planOf } from '../support/context.ts'
import { aBrowser, type Browser, startServer, type TestServer, tokenIn } from '../support/http.ts'

let server: TestServer
let author: Browser
let admin: Browser
let learner: Browser
let course: string
let other: string
let module: string
let term: string
let removedTerm: string

beforeAll(async () => {
  server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    const viewer = await aUser(db, { email: 'author@titrate.example', groups: ['authors'], firstName: 'Ada' })
    await aUser(db, { email: 'admin@titrate.example', groups: ['admins'] })
    await aUser(db, { email: 'learner@titrate.example', plan: 'Full Access' })
    const ada = await aContext(db, { viewer })
    const operator = await aContext(db, { isOperator: true })
    const id = await planOf(db, operator.site.id, 'Full Access')
    const plan = await db.selectFrom('access_plans').select('uid').where('id', '=', id).executeTakeFirstOrThrow()
    const values = { description: 'One two', synopsis: '', learningObjectives: [], coverImgDesc: '', sections: [] }
    const made = async (name: string) =>
      (await createCourse(ada, { ...values, name, accessPlanUids: [plan.uid], tags: [] })).uid
    course = await made('Plain history')
    await updateCourse(ada, { courseUid: course, name: 'Plain <b>history</b>', description: 'One three' })
    other = await made('Thrown away')
    await deleteCourse(ada, { courseUid: other })
    module = (await aModule(operator, { name: 'A module' })).uid
    await updateModule(ada, { moduleUid: module, name: 'Renamed', comingSoon: true })
    term = (await createGlossaryTerm(operator, { name: 'Titer', definition: 'A measure' })).uid
    await updateGlossaryTerm(operator, { termUid: term, name: 'Titer', definition: 'Another measure' })
    removedTerm = (await createGlossaryTerm(operator, { name: 'Gone', definition: 'A term' })).uid
    await deleteGlossaryTerm(operator, { termUid: removedTerm })
    await close()
  })
  ;[author, admin, learner] = [aBrowser(server), aBrowser(server), aBrowser(server)]
  await author.signIn('author@titrate.example')
  await admin.signIn('admin@titrate.example')
  await learner.signIn('learner@titrate.example')
})

async function pageAt(path: string, browser = author): Promise<string> {
  const { status, text } = await browser.send({ path })
  expect(status, path).toBe(200)
  // React puts comments between texts.
  return text.replaceAll('<!-- -->', '')
}

const statusOf = async (path: string, browser: Browser) => (await browser.send({ path })).status
const hiddenIn = (page: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''

describe('the history', () => {
  test('is reached from the dialog, shows the differences, and restores in two presses', async () => {
    const at = `/dashboard/courses/${course}/history/`
    expect(await pageAt(`/dashboard/courses/${course}/`)).toContain(`href="${at}"`)
    const list = await pageAt(at)
    expect(list).toContain('History of Plain &lt;b&gt;history&lt;/b&gt;')
    expect(list).toMatch(/<del[^>]*><span class="sr-only">\[removed: <\/span>two/)
    expect(list).toContain(`href="${at}0/"`)
    const question = await pageAt(`${at}0/`)
    expect(question).toContain('Restore Plain &lt;b&gt;history&lt;/b&gt;')
    const reply = await author.post(`${at}0/`, { csrf: tokenIn(question), opened: hiddenIn(question, 'opened') })
    expect([reply.status, reply.headers.location]).toEqual([302, at])
    const after = await pageAt(at)
    expect(after).toContain('The earlier revision of “Plain history” has been restored.')
    expect(after).toContain('Earlier revision restored')
    const again = await author.post(`${at}0/`, { csrf: tokenIn(question), opened: hiddenIn(question, 'opened') })
    expect(again.status).toBe(302)
    expect(await pageAt(at)).toContain('Nothing has changed')
    // Somebody has saved since the question was asked.
    const late = await author.post(`${at}1/`, { csrf: tokenIn(question), opened: hiddenIn(question, 'opened') })
    expect([late.status, late.text.includes('Somebody has saved changes')]).toEqual([422, true])
    expect((await author.post(`${at}1/`, { opened: '2' })).status).toBe(400)
  })

  test('of modules is for staff, that of terms for admins, and unknown ones are not found', async () => {
    expect(await pageAt(`/dashboard/modules/${module}/history/`)).toContain('History of Renamed')
    expect(await pageAt(`/dashboard/modules/${module}/history/1/`)).toContain('Restore Renamed')
    expect(await pageAt(`/dashboard/glossary/${term}/history/`, admin)).toContain('History of Titer')
    expect(await pageAt(`/dashboard/glossary/${term}/history/0/`, admin)).toContain('Restore Titer')
    expect(await statusOf(`/dashboard/glossary/${term}/history/`, author)).toBe(403)
    for (const path of ['history/', 'history/0/']) {
      expect(await statusOf(`/dashboard/courses/${course}/${path}`, learner), path).toBe(403)
      expect(await statusOf(`/dashboard/courses/${module}/${path}`, author), path).toBe(404)
      expect(await statusOf(`/dashboard/modules/nothing/${path}`, author), path).toBe(404)
    }
    for (const revision of ['99', '-1', 'x', '1e0']) {
      expect(await statusOf(`/dashboard/courses/${course}/history/${revision}/`, author), revision).toBe(404)
    }
  })
})

describe('the trash', () => {
  test('lists, finds and restores without JavaScript', async () => {
    const page = await pageAt('/dashboard/trash/')
    expect(page).toContain('Thrown away')
    expect(page).toContain('Ada')
    expect(page).not.toContain('>Gone<')
    expect(page).toContain(`href="/dashboard/courses/${other}/history/"`)
    expect(await pageAt(`/dashboard/courses/${other}/history/`)).toContain('is in the trash')
    expect(await pageAt('/dashboard/trash/?search=nothing')).not.toContain('Thrown away')
    const filtered = await pageAt('/dashboard/trash/?filter=kind-term', admin)
    expect([filtered.includes('>Gone<'), filtered.includes('Thrown away')]).toEqual([true, false])
    expect((await author.send({ path: '/dashboard/trash/?filter=kind-term' })).status).toBe(302)
    const nothing = await author.post('/dashboard/trash/restore/', { csrf: tokenIn(page) })
    expect(nothing.status).toBe(302)
    expect(await pageAt('/dashboard/trash/')).toContain('Select what you want to restore')
    const reply = await author.post('/dashboard/trash/restore/', { csrf: tokenIn(page), uid: `course:${other}` })
    expect([reply.status, reply.headers.location]).toEqual([302, '/dashboard/trash/'])
    expect(await pageAt('/dashboard/trash/')).toContain('“Thrown away” is back.')
    expect(await pageAt('/dashboard/trash/')).toContain('The trash is empty')
    expect(await pageAt(`/dashboard/courses/${other}/`)).toContain('Thrown away')
  })

  test('is for staff; its rows come as JSON', async () => {
    expect(await statusOf('/dashboard/trash/', learner)).toBe(403)
    expect(await statusOf('/dashboard/trash-rows/', learner)).toBe(403)
    const { text } = await admin.send({ path: '/dashboard/trash-rows/' })
    expect(JSON.parse(text)).toMatchObject({
      rows: [{ key: `term:${removedTerm}`, kind: 'Glossary term' }],
      next: null,
    })
    const keys = await admin.send({ path: '/dashboard/trash-rows/?uids=1&search=gone' })
    expect(JSON.parse(keys.text)).toEqual([`term:${removedTerm}`])
    expect((await learner.post('/dashboard/trash/restore/', { uid: `term:${removedTerm}` })).status).toBe(403)
  })
})
