/** Terms of the glossary on the pages of learners, as HTML without scripts, and their switch in the console's forms. */
import { beforeAll, expect, test } from 'vitest'
import { createCourse } from '~/services/courses/create-course.server.ts'
import { createGlossaryTerm } from '~/services/glossary/save-term.server.ts'
import { anAnnouncement } from '../support/announcements.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { aLecture, aVideo } from '../support/films.ts'
import { aBrowser, type Browser, startServer, tokenIn } from '../support/http.ts'
import { planUid } from '../support/module-editing.ts'

const text = 'An assay, a hit <b>and</b> another assay.'
/** A term that would run a script wherever it is not escaped, and texts that use it. */
const hostile = {
  name: 'Cell <img src=x onerror=alert(1)>',
  definition: '</script><script>alert(2)</script><b onclick="alert(3)">"\' [x](javascript:alert(5))',
}
const hostileTexts = { plain: `A ${hostile.name}.`, markdown: 'A Cell \\<img src=x onerror=alert(1)>.' }
let learner: Browser
let author: Browser
const pages: Record<string, string> = {}
let courseUid: string
let attackedPages: string[]

beforeAll(async () => {
  const server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    const viewer = await aUser(db, { email: 'learner@titrate.example' })
    await aUser(db, { email: 'author@titrate.example', groups: ['authors'] })
    const operator = await aContext(db, { isOperator: true })
    await createGlossaryTerm(operator, { name: 'Assay', definition: 'A test & <measure>.' })
    await createGlossaryTerm(operator, { name: 'Hit', definition: 'A first result.' })
    await createGlossaryTerm(operator, hostile)
    const module = await aModule(operator, { name: 'Module one' })
    const [lecture, video] = [await aLecture(db), await aVideo(db)]
    for (const [kind, uid] of [
      ['modules', module.uid],
      ['lectures', lecture.uid],
      ['videos', video.uid],
    ] as const) {
      await db.updateTable(kind).set({ description: text }).where('uid', '=', uid).execute()
      pages[kind] = `/${kind}/${uid}/`
    }
    const questionsMarkdown = '# Assay\n\n1. Which [assay](https://a.example) or `assay` found the **hit**?'
    await db.updateTable('lectures').set({ questions_markdown: questionsMarkdown }).execute()
    const chapters = [{ uid: null, name: 'Assay', description: text, moduleUids: [module.uid] }]
    const course = await createCourse(operator, {
      name: 'Assay course',
      description: text,
      sections: [{ uid: null, name: 'Hit', description: text, chapters }],
      accessPlanUids: [await planUid(operator)],
      publish: true,
    } as never)
    courseUid = course.uid
    pages.courses = `/courses/${courseUid}/`
    pages.messages = `/my-learning/my-messages/${await anAnnouncement(db, [viewer], { text: '## Hit\n\nA new *assay*.' })}/`
    const attacked = await aLecture(db)
    await db
      .updateTable('lectures')
      .set({ description: hostileTexts.plain, questions_markdown: hostileTexts.markdown })
      .where('id', '=', attacked.id)
      .execute()
    const message = await anAnnouncement(db, [viewer], { text: hostileTexts.markdown })
    attackedPages = [`/lectures/${attacked.uid}/`, `/my-learning/my-messages/${message}/`]
    await close()
  })
  ;[learner, author] = [aBrowser(server), aBrowser(server)]
  await learner.signIn('learner@titrate.example')
  await author.signIn('author@titrate.example')
})

/** The words of the terms' buttons, and whether each button opens the panel that follows it. */
async function termsAt(path: string): Promise<string[]> {
  const reply = await learner.send({ path })
  expect(reply.status, path).toBe(200)
  const html = reply.text.replaceAll('<!-- -->', '')
  const found = [...html.matchAll(/<button([^>]*class="term"[^>]*)>([^<]*)<\/button>\s*<span([^>]*)>/g)]
  for (const [, button, , panel] of found) {
    const id = /popovertarget="([^"]+)"/.exec(button ?? '')?.[1]
    expect(panel).toContain(`id="${id}"`)
    expect(panel).toContain('popover="auto"')
    expect(html.split(`id="${id}"`).length).toBe(2)
  }
  expect(html).not.toMatch(/<(a|h\d|summary|code)\b[^>]*>(?:(?!<\/\1>)[\s\S])*class="term"/)
  return found.map(([, , word]) => word ?? '')
}

test.each([
  ['modules', ['assay', 'hit']],
  ['lectures', ['assay', 'hit', 'hit']],
  ['videos', ['assay', 'hit']],
  ['courses', ['assay', 'hit', 'assay', 'hit', 'assay', 'hit']],
  ['messages', ['assay']],
])('terms show their definition on the pages of %s, once in each text', async (kind, expected) => {
  const path = pages[kind] ?? ''
  expect(await termsAt(path)).toEqual(expected)
  const html = (await learner.send({ path })).text
  expect(html).toMatch(/A test &(amp|#x26); &(lt|#x3C);measure(&gt;|>)\./)
  expect(html).toContain('href="/glossary/assay/"')
})

test('names and definitions with markup are text, in texts, in Markdown, in the glossary and in what pages load', async () => {
  for (const path of [...attackedPages, '/glossary/', '/glossary/cell-img-srcx-onerroralert1/']) {
    const { status, text } = await learner.send({ path })
    expect([path, status]).toEqual([path, 200])
    expect(text).toMatch(/&lt;script>|&lt;script&gt;|&#x3C;script>/)
    expect(text).not.toMatch(/<img src=x|<script>alert|<b onclick|href="javascript:/)
  }
  for (const path of attackedPages) expect((await termsAt(path)).join(), path).toContain('img src=x onerror=alert(1)')
})

test('cards stay plain, because they are links', async () => {
  for (const path of ['/modules/', '/lectures/', '/videos/', '/courses/']) expect(await termsAt(path), path).toEqual([])
})

test('an author switches the definitions of a course off, without JavaScript', async () => {
  const path = `/dashboard/courses/${courseUid}/`
  const form = (await author.send({ path })).text
  expect(form).toMatch(/<input[^>]*name="showsTerms"[^>]*checked=""/)
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(form)?.[1] ?? ''
  const posted = {
    csrf: tokenIn(form),
    uid: courseUid,
    revision: field('revision'),
    outline: '',
    name: 'Assay course',
    description: text,
    intent: 'save',
  }
  const reply = await author.post(path, posted)
  expect(reply.status, reply.text.slice(0, 300)).toBe(302)
  expect((await author.send({ path })).text).not.toMatch(/<input[^>]*name="showsTerms"[^>]*checked=""/)
  const html = (await learner.send({ path: pages.courses })).text
  expect(html).not.toContain('class="term"')
})
