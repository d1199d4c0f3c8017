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

test('everybody can read GlossarySettings and GlossaryTerms', async () => {
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
