/** Commands and seeds of the operator use the same services and rules as authors and admins. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendDashboardAnnouncement } from '~/services/announcements/send-announcement.server.ts'
import { actorOf, type Ctx } from '~/services/context.ts'
import { createCourse } from '~/services/courses/create-course.server.ts'
import { Forbidden } from '~/services/errors.ts'
import { createGlossaryTerms } from '~/services/glossary/glossary.server.ts'
import { createInvitation, renewInvitation } from '~/services/invitations/invitations.server.ts'
import { resendInvitations } from '~/services/invitations/invite-users.server.ts'
import { createModule } from '~/services/modules/create-module.server.ts'
import { finishLatestPackage } from '~/services/modules/finish-package.server.ts'
import { importModule } from '~/services/modules/import-module.server.ts'
import { getModule } from '~/services/modules/modules.server.ts'
import { getModuleToEdit, isModuleSaved } from '~/services/modules/save-module.server.ts'
import { createUser } from '~/services/users/users.server.ts'
import {
  backfillForwards,
  createClient,
  getForwarding,
  listClients,
  retryForwards,
  revokeClient,
} from '~/services/xapi/xapi.server.ts'
import type { Database } from '~db/client.server.ts'
import { aCover, aZip } from '../support/attachments.ts'
import { aContext, asOperator, aUser, openTestDatabase } from '../support/context.ts'
import { freshDatabase } from '../support/database.ts'
import { moduleValues } from '../support/module-editing.ts'
import { aStorage, auXml, courseXml, packageZip } from '../support/packages.ts'

let db: Database
let close: () => Promise<void>
let operator: Ctx
aStorage()

beforeAll(async () => {
  ;({ db, close } = await openTestDatabase(await freshDatabase()))
  operator = await aContext(db, { isOperator: true })
})
afterAll(() => close())

const anAuthor = async () => aContext(db, { viewer: await aUser(db, { groups: ['authors'] }) })

async function countOf(uid: string) {
  const modules = await db.selectFrom('modules').select('id').where('uid', '=', uid).execute()
  const versions = await db
    .selectFrom('module_versions')
    .innerJoin('modules', 'modules.id', 'module_versions.module_id')
    .select('module_versions.id')
    .where('modules.uid', '=', uid)
    .execute()
  return [modules.length, versions.length]
}

const aModule = async (changes: object = {}) => ({
  ...(await moduleValues(operator)),
  uid: randomUUID(),
  status: 'published' as const,
  ...changes,
})

test('a module is published with everything that the dialog requires, and the dialog can save it unchanged', async () => {
  const input = await aModule()
  const { uid } = await createModule(operator, input)
  expect(await finishLatestPackage(operator, { moduleUid: uid })).toMatchObject({ status: 'parsed' })
  const author = await anAuthor()
  const { module, state } = await getModuleToEdit(author, { moduleUid: uid })
  expect(module.publishedVersionUid).not.toBeNull()
  const { coverImg } = state
  if (!coverImg) throw new Error('the module has no cover')
  expect(state).toMatchObject({ name: input.name, chapterUid: input.chapterUid, cmi5Zip: input.cmi5Zip })
  expect(await isModuleSaved(author, { ...state, coverImg, moduleUid: uid })).toBe(true)
  const covers = await db
    .selectFrom('stored_files as derivative')
    .innerJoin('stored_files as original', 'original.id', 'derivative.original_id')
    .innerJoin('modules', 'modules.cover_file_id', 'original.id')
    .select(['derivative.content_type as type', 'derivative.width'])
    .where('modules.uid', '=', uid)
    .execute()
  expect(covers).toEqual([{ type: 'image/webp', width: 140 }])
  const audit = await db.selectFrom('audit_entries').selectAll().where('entity_uid', '=', uid).orderBy('id').execute()
  expect(audit.map(({ action, actor_name }) => [action, actor_name])).toEqual([
    ['module.created', 'Operator'],
    ['module.published', 'Operator'],
  ])
})

test('only a Coming Soon module may lack a package', async () => {
  const soon = await aModule({ comingSoon: true, status: 'draft', cmi5Zip: null })
  await createModule(operator, soon)
  expect(await finishLatestPackage(operator, { moduleUid: soon.uid })).toBeNull()
  expect(await getModule(await anAuthor(), { moduleUid: soon.uid })).toMatchObject({
    comingSoon: true,
    publishedVersionUid: null,
  })
  const bare = await aModule({ cmi5Zip: null })
  await expect(createModule(operator, bare)).rejects.toThrow('Please upload a CMI5 zip file')
  expect(await countOf(bare.uid)).toEqual([0, 0])
  await expect(createModule(operator, await aModule({ comingSoon: true }))).rejects.toThrow(/can't be published/)
})

test('a package that cannot be read stays a draft and says why', async () => {
  const bad = packageZip(courseXml(auXml({ url: 'missing.html' })))
  const { uid } = await createModule(operator, await aModule({ cmi5Zip: (await aZip(operator, bad)).name }))
  const state = await finishLatestPackage(operator, { moduleUid: uid })
  expect(state).toMatchObject({ status: 'error', lastMsg: expect.stringContaining('missing.html') })
  expect((await getModule(operator, { moduleUid: uid })).publishedVersionUid).toBeNull()
})

test('requested again, in a row or ten times at once, one module exists', async () => {
  const input = await aModule()
  const again = async () =>
    createModule(operator, {
      ...input,
      coverImg: (await aCover(operator)).name,
      cmi5Zip: (await aZip(operator)).name,
    })
  await Promise.all(Array.from({ length: 10 }, again))
  await again()
  expect(await finishLatestPackage(operator, { moduleUid: input.uid })).toMatchObject({ status: 'parsed' })
  expect(await countOf(input.uid)).toEqual([1, 1])
})

test('a uid of the other site is not changed', async () => {
  const input = await aModule()
  await createModule(operator, input)
  const other = await aContext(db, { site: 'ns', isOperator: true })
  const theirs = { ...(await moduleValues(other)), uid: input.uid }
  await expect(createModule(other, theirs)).rejects.toThrow('Not found.')
  expect(await countOf(input.uid)).toEqual([1, 1])
})

test('uploads of the operator and of people are kept apart', async () => {
  const author = await anAuthor()
  const ours = await aModule()
  await expect(createModule(author, ours)).rejects.toThrow('This file is no longer there.')
  await expect(createModule(operator, { ...ours, coverImg: (await aCover(author)).name })).rejects.toThrow(
    'This file is no longer there.',
  )
  await expect(createModule(await aContext(db), ours)).rejects.toThrow('Login required.')
})

test('a signed-in person has priority over the operator', async () => {
  const viewer = await aUser(db)
  const learner = { ...operator, viewer }
  expect(actorOf(learner)).toEqual(viewer)
  expect(actorOf(operator)).toBe('operator')
  expect(actorOf(await aContext(db))).toBeNull()
  await expect(createModule(learner, await aModule())).rejects.toThrow(Forbidden)
})

test('nobody else may do what commands and seeds do', async () => {
  const plain = { email: `${randomUUID()}@titrate.example`, firstName: '', lastName: '', groups: ['learners' as const] }
  const { userUid } = await createInvitation(operator, plain)
  const { key } = await createClient(operator, { name: 'A program', scopes: ['all'] })
  const zip = await aZip(operator)
  const course = { uid: randomUUID(), name: 'Refused', sections: [] }
  const message = { subject: 'Hello', text: 'Hello', from: 'Us', userUids: [userUid] }
  const forStaff: ((ctx: Ctx) => Promise<unknown>)[] = [
    (ctx) => createCourse(ctx, course),
    (ctx) => importModule(ctx, { cmi5Zip: zip.name, name: 'Refused', planName: 'Full Access' }),
    (ctx) => finishLatestPackage(ctx, { moduleUid: randomUUID() }),
  ]
  const forAdmins: ((ctx: Ctx) => Promise<unknown>)[] = [
    (ctx) => sendDashboardAnnouncement(ctx, message),
    (ctx) => createGlossaryTerms(ctx, { terms: [{ name: 'Refused', definition: 'Not made' }] }),
    (ctx) => createUser(ctx, { ...plain, email: 'refused@titrate.example' }),
    (ctx) => createInvitation(ctx, { ...plain, email: 'refused@titrate.example' }),
    (ctx) => renewInvitation(ctx, plain),
    (ctx) => resendInvitations(ctx, { userUids: [userUid] }),
    (ctx) => createClient(ctx, { name: 'Refused', scopes: ['all'] }),
    (ctx) => listClients(ctx),
    (ctx) => revokeClient(ctx, { key }),
    (ctx) => getForwarding(ctx),
    (ctx) => retryForwards(ctx),
    (ctx) => backfillForwards(ctx),
  ]
  const learner = await aContext(db, { viewer: await aUser(db, { groups: ['learners', 'instructors'] }) })
  const foreignAdmin = await aContext(db, { viewer: await aUser(db, { site: 'ns', groups: ['admins'] }) })
  for (const work of [...forStaff, ...forAdmins]) {
    await expect(work(await aContext(db)), String(work)).rejects.toThrow('Login required.')
    for (const other of [learner, foreignAdmin]) await expect(work(other), String(work)).rejects.toThrow(Forbidden)
  }
  const author = await anAuthor()
  for (const work of forAdmins) await expect(work(author), String(work)).rejects.toThrow(Forbidden)
  expect(await db.selectFrom('courses').select('id').where('uid', '=', course.uid).execute()).toEqual([])
  expect(await db.selectFrom('modules').select('id').where('name', '=', 'Refused').execute()).toEqual([])
  expect(await db.selectFrom('glossary_terms').select('id').where('name', '=', 'Refused').execute()).toEqual([])
  expect((await listClients(asOperator(author))).map(({ name }) => name)).toEqual(['A program'])
})
