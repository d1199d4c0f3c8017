/** Cursors belong to their list: every other list refuses them, like broken ones. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { listStatementsOfAttempt } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx } from '~/services/context.ts'
import { listCatalog, listCourses } from '~/services/courses/courses.server.ts'
import { Invalid } from '~/services/errors.ts'
import { listGlossaryTerms } from '~/services/glossary/glossary.server.ts'
import { listUniversities } from '~/services/institutions/institutions.server.ts'
import { listLectures } from '~/services/lectures/lectures.server.ts'
import { listModules } from '~/services/modules/modules.server.ts'
import { listModuleLearners, listOwnModules } from '~/services/progress/progress.server.ts'
import { ensureTags, listTags } from '~/services/tags/tags.server.ts'
import { listVideos } from '~/services/videos/videos.server.ts'
import { aModule, visit } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { db } from '../support/test.ts'

let admin: Ctx

beforeAll(async () => {
  admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'] }) })
})

type Walk = (after: string | null) => Promise<{ endCursor: string | null }>
const first = 1

const lists: [string, Walk][] = [
  ['modules', (after) => listModules(admin, { first, after })],
  ['modules that were searched for', (after) => listModules(admin, { first, after, search: 'module' })],
  ['courses', (after) => listCourses(admin, { first, after })],
  ['the catalog', (after) => listCatalog(admin, { first, after })],
  ['lectures', (after) => listLectures(admin, { first, after })],
  ['published lectures', (after) => listLectures(admin, { first, after, publishedOnly: true })],
  ['videos', (after) => listVideos(admin, { first, after })],
  ['videos of a category', (after) => listVideos(admin, { first, after, category: 'expert' })],
  ['tags', (after) => listTags(admin, { first, after })],
  ['universities', (after) => listUniversities(admin, { first, after })],
  ['the glossary', (after) => listGlossaryTerms(admin, { first, after })],
]

test('the cursor of one list is refused by every other list', async () => {
  await aModule(admin, { name: 'Module A' })
  await aModule(admin, { name: 'Module B' })
  await ensureTags(admin, { texts: ['a', 'b'] })
  const cursors: [string, string][] = []
  for (const [name, walk] of lists) {
    const { endCursor } = await walk(null)
    if (endCursor) cursors.push([name, endCursor])
  }
  expect(cursors.map(([name]) => name)).toEqual(
    expect.arrayContaining(['modules', 'modules that were searched for', 'tags', 'universities']),
  )
  for (const [origin, cursor] of cursors) {
    for (const [name, walk] of lists) {
      const outcome = await walk(cursor).catch((error: Error) => error)
      if (name === origin) expect(outcome).not.toBeInstanceOf(Error)
      else expect(outcome, `${origin} in ${name}`).toMatchObject({ code: 'page.after' })
    }
  }
  const [, cursor] = cursors[0] as [string, string]
  await expect(listTags(admin, { after: cursor })).rejects.toThrow('The cursor "after" does not belong to this list.')
})

test('each module has its own learner list, and each attempt its own statements', async () => {
  const learner = await aContext(db, { viewer: await aUser(db) })
  const other = await aContext(db, { viewer: await aUser(db) })
  const modules = [await aModule(admin), await aModule(admin)]
  const attempts: string[] = []
  for (const { versionUid } of modules) {
    for (const person of [learner, other]) {
      const { session } = await visit(person, { moduleVersionUid: versionUid }, 'completed')
      attempts.push(session.registrationUid)
    }
  }
  const [one, two] = modules.map(({ uid }) => uid) as [string, string]
  const { endCursor: after } = await listModuleLearners(admin, { moduleUid: one, first })
  expect((await listModuleLearners(admin, { moduleUid: one.toUpperCase(), first, after })).items).toHaveLength(1)
  await expect(listModuleLearners(admin, { moduleUid: two, first, after })).rejects.toThrow(Invalid)
  await expect(listModuleLearners(admin, { moduleUid: one, search: 'a', after })).rejects.toThrow(Invalid)
  const [mine = '', theirs = ''] = attempts
  const { next: before } = await listStatementsOfAttempt(admin, { registrationUid: mine, first })
  expect((await listStatementsOfAttempt(admin, { registrationUid: mine, first, before })).items).toHaveLength(1)
  await expect(listStatementsOfAttempt(admin, { registrationUid: theirs, before })).rejects.toThrow(
    'The cursor "before" does not belong to this list.',
  )
  await expect(listStatementsOfAttempt(admin, { registrationUid: mine, before: after })).rejects.toThrow(Invalid)
})

test('a person’s own modules start over with another person’s cursor, and with a broken one', async () => {
  const learner = await aContext(db, { viewer: await aUser(db) })
  for (const verbs of [[], [], ['completed'], ['completed']]) {
    const { versionUid } = await aModule(admin, { name: `Own ${randomUUID()}` })
    await visit(learner, { moduleVersionUid: versionUid }, ...verbs)
  }
  const page = (state: 'in_progress' | 'completed', after?: string | null) =>
    listOwnModules(learner, { state, first, after })
  const [open, done] = [await page('in_progress'), await page('completed')]
  expect((await page('in_progress', open.endCursor)).items).not.toEqual(open.items)
  expect((await page('completed', open.endCursor)).items).toEqual(done.items)
  expect((await page('completed', 'x')).items).toEqual(done.items)
})
