import { print } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '~db/client.server.ts'
import { seedGlossary } from '../../seed/glossary.ts'
import { aContext, aUser, openTestDatabase } from '../support/context.ts'
import { freshDatabase } from '../support/database.ts'
import { type GraphqlClient, startGraphql } from '../support/graphql.ts'
import { aFilm, runIndexJobs } from '../support/search.ts'
import { operations } from './contract.ts'

let db: Database
let close: () => Promise<void>
let graphql: Awaited<ReturnType<typeof startGraphql>>

beforeAll(async () => {
  const url = await freshDatabase()
  ;({ db, close } = await openTestDatabase(url))
  graphql = await startGraphql(url)
  const ctx = await aContext(db, { isOperator: true })
  await seedGlossary(ctx)
  await aFilm(ctx, 'video', { name: 'Sentinel Dosing' })
  await runIndexJobs(ctx)
})
afterAll(async () => {
  await graphql.close()
  await close()
})

function run(client: GraphqlClient, name: string, variables: object = {}) {
  const operation = operations().find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`The contract has no operation ${name}`)
  return client.run(print(operation.document), variables)
}

async function setGlossary(isOn: boolean) {
  await db.updateTable('feature_flags').set({ is_on: isOn }).where('name', '=', 'GLOSSARY').execute()
}

test('C-143 C-210 C-211 everybody can read GlossarySettings and GlossaryTerms', async () => {
  const client = graphql.client()
  const settings = await run(client, 'GlossarySettings')
  expect(settings.body.data.glossarySettings).toEqual({
    headline: 'The language of drug development',
    description: expect.stringContaining('Short definitions'),
  })
  const terms = await run(client, 'GlossaryTerms', { first: 2 })
  expect(terms.body.errors).toBeUndefined()
  expect(terms.body.data.glossaryTerms).toMatchObject({
    totalCount: 60,
    pageInfo: { hasNextPage: true },
    edges: [{ node: { slug: 'accelerated-approval' } }, { node: { name: 'ADME', slug: 'adme' } }],
  })
  const after = terms.body.data.glossaryTerms.pageInfo.endCursor
  const next = await run(client, 'GlossaryTerms', { after })
  expect(next.body.data.glossaryTerms.edges).toHaveLength(58)
  const { id } = terms.body.data.glossaryTerms.edges[1].node
  const node = await client.run('query ($id: ID!) { node(id: $id) { ... on GlossaryTerm { name } } }', { id })
  expect(node.body.data.node).toEqual({ name: 'ADME' })
})

test('C-218 C-219 C-221 admins change the heading, and create, change, remove and restore terms', async () => {
  const admin = await graphql.clientFor(db, await aUser(db, { groups: ['admins'], plan: null }))
  const heading = { headline: 'Our words', description: 'What they mean.' }
  const settings = await run(admin, 'UpdateGlossarySettings', heading)
  expect(settings.body.data.updateGlossarySettings.glossarySettings).toEqual(heading)
  const values = { name: 'Organoid', definition: 'A small model of an organ.' }
  const created = await run(admin, 'CreateOrUpdateGlossaryTerm', values)
  const { glossaryTerm } = created.body.data.createOrUpdateGlossaryTerm
  expect(glossaryTerm).toEqual({ id: expect.any(String), slug: 'organoid', ...values })
  const { id } = glossaryTerm
  const renamed = { name: 'Organoids', definition: 'Small models of organs.' }
  const changed = await run(admin, 'CreateOrUpdateGlossaryTerm', { id, ...renamed })
  expect(changed.body.data.createOrUpdateGlossaryTerm.glossaryTerm).toEqual({ id, slug: 'organoid', ...renamed })
  const taken = await run(admin, 'CreateOrUpdateGlossaryTerm', { name: 'adme', definition: 'Four things.' })
  expect(taken.body.errors?.[0]).toMatchObject({
    message: 'The glossary already has the term “ADME”.',
    extensions: { code: 'CONFLICT', fieldErrors: { name: expect.any(String) } },
  })
  expect((await run(admin, 'DeleteGlossaryTerm', { id })).body.data.deleteGlossaryTerm).toEqual({ id })
  expect((await run(admin, 'DeleteGlossaryTerm', { id })).body.errors?.[0]).toMatchObject({ message: 'Not found.' })
  const restore = 'mutation ($id: ID!) { restoreGlossaryTerm(id: $id) { glossaryTerm { slug } } }'
  expect((await admin.run(restore, { id })).body.data.restoreGlossaryTerm.glossaryTerm).toEqual({ slug: 'organoid' })
  await run(admin, 'DeleteGlossaryTerm', { id })
})

test('authors, learners and visitors change nothing in the glossary, and no id of another kind works', async () => {
  const author = await graphql.clientFor(db, await aUser(db, { groups: ['authors'], plan: null }))
  const operations: [string, object][] = [
    ['UpdateGlossarySettings', { headline: 'A', description: 'B' }],
    ['CreateOrUpdateGlossaryTerm', { name: 'A', definition: 'B' }],
  ]
  for (const [name, variables] of operations) {
    expect((await run(author, name, variables)).body.errors?.[0]?.extensions?.code, name).toBe('FORBIDDEN')
    expect((await run(graphql.client(), name, variables)).body.errors?.[0]?.message, name).toBe('Login required.')
  }
  const admin = await graphql.clientFor(db, await aUser(db, { groups: ['admins'], plan: null }))
  const { body } = await run(admin, 'DeleteGlossaryTerm', { id: Buffer.from('Module:x').toString('base64url') })
  expect(body.errors?.[0]?.extensions?.code).toBe('NOT_FOUND')
})

test('the list is empty if the glossary is switched off', async () => {
  await setGlossary(false)
  try {
    const { body } = await run(graphql.client(), 'GlossaryTerms')
    expect(body.data.glossaryTerms).toEqual({
      totalCount: 0,
      edges: [],
      pageInfo: { endCursor: null, hasNextPage: false },
    })
  } finally {
    await setGlossary(true)
  }
})

test('search needs a session and finds what its viewer may see', async () => {
  const query =
    'query ($query: String!, $type: String, $page: Int) { search(query: $query, type: $type, page: $page) { query type totalCount isSimilar hits { kind uid title excerpt url comingSoon } } }'
  const nobody = await graphql.client().run(query, { query: 'sentinel' })
  expect(nobody.body.errors?.[0]).toMatchObject({ message: 'Login required.' })
  const learner = await graphql.clientFor(db, await aUser(db))
  const { body } = await learner.run(query, { query: 'sentinel', type: 'videos' })
  expect(body.data.search).toMatchObject({
    query: 'sentinel',
    type: 'video',
    totalCount: 1,
    isSimilar: false,
    hits: [
      { kind: 'video', title: 'Sentinel Dosing', comingSoon: false, url: expect.stringMatching(/\/videos\/.+\/$/) },
    ],
  })
  const without = await graphql.clientFor(db, await aUser(db, { plan: null }))
  expect((await without.run(query, { query: 'sentinel' })).body.data.search.hits).toEqual([])
  for (const page of [-1, 0, 2_000_000_000]) {
    expect((await learner.run(query, { query: "'\u0000", page })).body.errors).toBeUndefined()
  }
})
