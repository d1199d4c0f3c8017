import { print } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fromGlobalId, toGlobalId } from '~/graphql/ids.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { finishPackage } from '~/services/modules/finish-package.server.ts'
import type { Database } from '~db/client.server.ts'
import { aCover, aZip } from '../support/attachments.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { freshDatabase } from '../support/database.ts'
import { type GraphqlClient, startGraphql } from '../support/graphql.ts'
import { aStorage } from '../support/packages.ts'
import { operations } from './contract.ts'

let db: Database
let close: () => Promise<void>
let graphql: Awaited<ReturnType<typeof startGraphql>>
let author: Viewer
let admin: Viewer
let learner: Viewer
let ctx: Ctx
aStorage()

beforeAll(async () => {
  const url = await freshDatabase()
  ;({ db, close } = await openTestDatabase(url))
  graphql = await startGraphql(url)
  author = await aUser(db, { groups: ['authors'], firstName: 'Lin', plan: null })
  admin = await aUser(db, { groups: ['admins'], plan: null })
  learner = await aUser(db)
  ctx = await aContext(db, { viewer: author })
})
afterAll(async () => {
  await graphql.close()
  await close()
})

function run(client: GraphqlClient, name: string, variables: object = {}, headers?: Record<string, string>) {
  const operation = operations().find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`The contract has no operation ${name}`)
  if (!headers) return client.run(print(operation.document), variables)
  return client.send({ body: JSON.stringify({ query: print(operation.document), variables }), headers })
}

async function plans(name = 'Full Access'): Promise<string[]> {
  const rows = await db
    .selectFrom('access_plans')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .where('name', '=', name)
    .execute()
  return rows.map(({ uid }) => uid)
}

async function moduleData(changes: object = {}) {
  return {
    name: 'Pharmacokinetics',
    description: 'What the body does to a drug',
    coverImg: (await aCover(ctx, 'curve.png')).name,
    coverImgDesc: 'A falling curve',
    cmi5Zip: (await aZip(ctx)).name,
    tags: ['ADME', 'Dose'],
    accessPlanUids: await plans(),
    ...changes,
  }
}

test('A-116 A-117 A-192 A-237 A-238 A-239 a program creates, changes, publishes and deletes a module as the contract says', async () => {
  const client = await graphql.clientFor(db, author)
  await client.run('{ featureFlags }')
  const data = await moduleData()
  const created = await run(client, 'CreateModule', { data })
  const module = created.body.data.createModule.module
  expect(module).toMatchObject({
    name: 'Pharmacokinetics',
    inSelfStudy: true,
    comingSoon: false,
    defaultChapter: null,
    coverImg: { originalFileName: 'curve.png', name: data.coverImg },
    latestVersion: {
      version: 1,
      status: 'draft',
      author: { uid: author.uid, firstName: 'Lin', lastName: author.lastName, email: author.email },
      module: { name: 'Pharmacokinetics' },
      cmi5: { status: 'uploaded', lastMsg: null, zipPath: { name: data.cmi5Zip, originalFileName: 'module.zip' } },
    },
    tags: [{ text: 'ADME' }, { text: 'Dose' }],
  })
  const changed = await run(client, 'UpdateModule', { data: { id: module.id, description: 'Shorter' } })
  expect(changed.body.data.updateModule.module).toMatchObject({
    ...module,
    description: 'Shorter',
    lastUpdatedTs: expect.any(String),
  })

  const early = await run(client, 'UpdateModule', { data: { id: module.id, status: 'published' } })
  expect(early.body.errors?.[0]).toMatchObject({ extensions: { code: 'CONFLICT' } })
  await finishPackage(ctx, { packageUid: module.latestVersion.cmi5.uid })
  const published = await run(client, 'UpdateModule', { data: { id: module.id, status: 'published' } })
  expect(published.body.data.updateModule.module.latestVersion).toMatchObject({
    status: 'published',
    cmi5: { status: 'parsed' },
  })

  const deleted = await run(client, 'DeleteModule', { data: { id: module.id } })
  expect(deleted.body.data.deleteModule).toEqual({ id: module.id, uid: module.uid })
  expect((await run(client, 'ModuleById', { id: module.id })).body.data.node).toBeNull()
  const again = await run(client, 'DeleteModule', { data: { id: module.id } })
  expect(again.body.errors?.[0]).toMatchObject({ extensions: { code: 'NOT_FOUND' } })
  const back = await client.run(
    'mutation ($data: DeleteModuleInput!) { restoreModule(data: $data) { module { uid } } }',
    {
      data: { id: module.id },
    },
  )
  expect(back.body.data.restoreModule.module.uid).toBe(module.uid)
})

test('one Idempotency-Key creates one module for one person, and two aliases in a document create two', async () => {
  const client = await graphql.clientFor(db, author)
  await client.run('{ featureFlags }')
  const key = { 'idempotency-key': 'monday-import-1' }
  const data = await moduleData({ name: 'Made once' })
  const uids = []
  for (let time = 0; time < 3; time += 1) {
    const { body } = await run(client, 'CreateModule', { data }, key)
    uids.push(body.data.createModule.module.uid)
  }
  expect(new Set(uids).size).toBe(1)
  const { body } = await client.send({
    body: JSON.stringify({
      query: `mutation ($one: CreateModuleInput!, $two: CreateModuleInput!) {
        a: createModule(data: $one) { module { uid } } b: createModule(data: $two) { module { uid } } }`,
      variables: { one: await moduleData({ name: 'A' }), two: await moduleData({ name: 'B' }) },
    }),
    headers: key,
  })
  expect(body.data.a.module.uid).not.toBe(body.data.b.module.uid)
})

test('A-186 A-191 A-194 C-203 a refusal names the fields, and null means that a field was not given', async () => {
  const client = await graphql.clientFor(db, author)
  await client.run('{ featureFlags }')
  const refused = await run(client, 'CreateModule', { data: await moduleData({ name: 'x'.repeat(66) }) })
  expect(refused.body.errors?.[0]).toMatchObject({
    message: 'At most 65 characters',
    extensions: { code: 'BAD_USER_INPUT', fieldErrors: { name: 'At most 65 characters' } },
  })
  const nulls = { description: null, status: null, inSelfStudy: null, comingSoon: null, chapterUid: null, tags: null }
  const made = await run(client, 'CreateModule', { data: await moduleData(nulls) })
  expect(made.body.data.createModule.module).toMatchObject({ description: '', inSelfStudy: true, tags: [] })
})

test('A-117 a module without a package has no version', async () => {
  const client = await graphql.clientFor(db, author)
  await client.run('{ featureFlags }')
  const data = await moduleData({ name: 'Not yet', comingSoon: true, cmi5Zip: null })
  const { module } = (await run(client, 'CreateModule', { data })).body.data.createModule
  expect(module).toMatchObject({ name: 'Not yet', comingSoon: true, latestVersion: null })
})

test('A-220 learners and visitors are refused, and ids of other kinds and sites are not found', async () => {
  const data = await moduleData()
  const client = await graphql.clientFor(db, learner)
  await client.run('{ featureFlags }')
  expect((await run(client, 'CreateModule', { data })).body.errors?.[0]).toMatchObject({
    message: 'You do not have permission to perform this action.',
    extensions: { code: 'FORBIDDEN' },
  })
  const visitor = graphql.client()
  await visitor.run('{ featureFlags }')
  expect((await run(visitor, 'CreateModule', { data })).body.errors?.[0]?.message).toBe('Login required.')
  const staff = await graphql.clientFor(db, author)
  await staff.run('{ featureFlags }')
  for (const id of [toGlobalId('Section', author.uid), toGlobalId('Module', author.uid), 'nonsense', '']) {
    const { body } = await run(staff, 'UpdateModule', { data: { id, name: 'x' } })
    expect(body.errors?.[0]?.extensions.code).toBe('NOT_FOUND')
  }
})

test('A-229 C-229 an admin orders modules and deletes tags, and an author may not', async () => {
  const client = await graphql.clientFor(db, admin)
  await client.run('{ featureFlags }')
  const { body } = await run(client, 'Sections')
  const section = body.data.sections[0]
  const chapterUids = section.chapters.map(({ uid }: { uid: string }) => uid).reverse()
  const ordered = await run(client, 'UpdateModulesOrder', { data: { section: { uid: section.uid, chapterUids } } })
  expect(ordered.body.data.updateModulesOrder.sections[0].chapters.map(({ uid }: { uid: string }) => uid)).toEqual(
    chapterUids,
  )
  const tags = await run(client, 'DeleteTags', { tagsToDelete: ['ADME'] })
  expect(tags.body.data.deleteTags.tags.map(({ text }: { text: string }) => text)).not.toContain('ADME')
  const other = await graphql.clientFor(db, author)
  await other.run('{ featureFlags }')
  expect((await run(other, 'DeleteTags', { tagsToDelete: ['Dose'] })).body.errors?.[0]?.extensions.code).toBe(
    'FORBIDDEN',
  )
  expect((await run(other, 'CoursesWithModule', { moduleUid: author.uid })).body.data.coursesWithModule).toEqual([])
  expect(fromGlobalId(section.id)?.type).toBe('Section')
})
