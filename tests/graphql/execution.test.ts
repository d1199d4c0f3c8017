import { makeExecutableSchema } from '@graphql-tools/schema'
import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema, Kind, parse, print } from 'graphql'
import { beforeAll, describe, expect, test } from 'vitest'
import { executeOperation } from '~/graphql/execution.ts'
import { createLoaders } from '~/graphql/loaders.server.ts'
import { schema } from '~/graphql/schema.server.ts'
import type { Ctx } from '~/services/context.ts'
import { NotFound } from '~/services/errors.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aLecture, aVideo } from '../support/films.ts'
import { db } from '../support/test.ts'
import { operations } from './contract.ts'
import { missing } from './missing.ts'

type Args = {
  schema: GraphQLSchema
  document: DocumentNode
  contextValue?: unknown
  variableValues?: Record<string, unknown>
}

/** The answer as a client reads it, and what the endpoint's own handling of errors sees. */
async function answerOf(run: (args: Args) => ExecutionResult | Promise<ExecutionResult>, args: Args) {
  const { data, errors } = await run(args)
  const told = errors?.map((error) => ({
    ...error.toJSON(),
    isOurFault: error.originalError !== undefined && !(error.originalError instanceof NotFound),
  }))
  // The order of errors depends on which field is ready first.
  const sorted = told?.sort((one, other) => String(one.path).localeCompare(String(other.path)))
  return JSON.parse(JSON.stringify({ data, errors: sorted }))
}

describe('a compiled query', () => {
  let ctx: Ctx
  let node: { id: string }
  beforeAll(async () => {
    ctx = await aContext(db, { viewer: await aUser(db, { groups: ['authors', 'admins'] }) })
    const module = await aModule(ctx, { name: 'Screening', units: [{ moveOn: 'Completed' }, { moveOn: 'Passed' }] })
    await aModule(ctx, { name: 'Draft only', isPublished: false })
    await aLecture(db)
    await aVideo(db)
    node = { id: Buffer.from(`Module:${module.uid}`).toString('base64url') }
  })

  const queries = operations().filter(
    ({ name, document }) => !missing.has(name) && isQuery(document) && !/Launch/.test(name),
  )

  test.each(queries)('answers $name of the contract as graphql does', async ({ document: parsed }) => {
    const document = parse(print(parsed))
    const args = () => ({
      schema,
      document,
      variableValues: node,
      contextValue: { ctx, loaders: createLoaders(ctx), language: 'en', idempotencyKey: null },
    })
    expect(await answerOf(executeOperation, args())).toEqual(await answerOf(execute, args()))
  })
})

describe('errors and values', () => {
  const small = makeExecutableSchema({
    typeDefs: `
      enum Size { SMALL LARGE }
      input Filter { size: Size!, names: [String!] = ["a"] }
      type Item { name: String! size: Size parts: [Item!] broken: String strict: String! }
      type Query { items(first: Int = 2, filter: Filter): [Item] echo(filter: Filter): String count: Int! }`,
    resolvers: {
      Query: {
        items: async (_: unknown, { first }: { first: number }) =>
          [{ name: 'One', size: 'SMALL', parts: [{ name: 'Part' }] }, { name: null }, { name: 'Three' }].slice(
            0,
            first,
          ),
        echo: (_: unknown, input: object) => JSON.stringify(input),
        count: () => 'many',
      },
      Item: {
        broken: () => {
          throw new NotFound()
        },
        strict: () => Promise.reject(new NotFound('There is none.')),
      },
    },
  })

  test.each<[text: string, variables?: Record<string, unknown>]>([
    ['{ items { name size parts { name } } }'],
    ['{ items(first: 1) { broken name\n  parts { broken } } }'],
    ['{ items(first: 1) { strict } }'],
    ['{\n  items(first: 1) {\n    name\n    strict\n  }\n}'],
    ['{ count }'],
    ['query ($f: Filter) { echo(filter: $f) }', { f: { size: 'LARGE' } }],
    ['query ($f: Filter) { echo(filter: $f) }', {}],
    ['query ($f: Filter = { size: SMALL }) { echo(filter: $f) }'],
    ['query ($first: Int) { items(first: $first) { name } }', { first: null }],
    [
      'query ($first: Int!) { items(first: $first) { ...a } } fragment a on Item { name ...b } fragment b on Item { size }',
      { first: 1 },
    ],
    ['query ($skipped: Boolean!) { items(first: 1) { name size @skip(if: $skipped) } }', { skipped: true }],
    ['{ __typename items(first: 1) { __typename } }'],
  ])('%s is answered as graphql does', async (text, variableValues) => {
    const args = { schema: small, document: parse(text), variableValues }
    expect(await answerOf(executeOperation, args)).toEqual(await answerOf(execute, args))
  })

  test.each([
    ['query ($f: Filter) { echo(filter: $f) }', { f: { size: 'HUGE' } }],
    ['query ($f: Filter) { echo(filter: $f) }', { f: { size: 'LARGE', other: 1 } }],
    ['query ($first: Int!) { items(first: $first) { name } }', { first: 'one' }],
    ['query ($first: Int!) { items(first: $first) { name } }', {}],
  ])('%s with wrong variables %j is refused, and says which', async (text, variableValues) => {
    const args = { schema: small, document: parse(text), variableValues }
    const refusal = await answerOf(executeOperation, args)
    expect(refusal).toEqual(await answerOf(execute, args))
    expect(refusal.errors[0].message).toMatch(/Variable "\$(f|first)"/)
  })

  test('a document is compiled once, and again after fifty others', async () => {
    let reads = 0
    const document = new Proxy(parse('{ items(first: 1) { name } }'), {
      get(target, key, receiver) {
        if (key === 'definitions') reads++
        return Reflect.get(target, key, receiver)
      },
    })
    const run = async (document: DocumentNode) => (await executeOperation({ schema: small, document })).data
    expect(await run(document)).toEqual({ items: [{ name: 'One' }] })
    const once = reads
    expect(once).toBeGreaterThan(0)
    for (let i = 0; i < 50; i++) {
      expect(await run(parse(`{ items(first: 1) { name${i}: name } }`))).toEqual({ items: [{ [`name${i}`]: 'One' }] })
      if (i === 25) expect(await run(document)).toEqual({ items: [{ name: 'One' }] })
    }
    expect(reads).toBe(once)
    for (let i = 50; i < 100; i++) await run(parse(`{ items(first: 1) { name${i}: name } }`))
    expect(await run(document)).toEqual({ items: [{ name: 'One' }] })
    expect(reads).toBe(2 * once)
  })
})

function isQuery({ definitions }: DocumentNode): boolean {
  return definitions.some((one) => one.kind === Kind.OPERATION_DEFINITION && one.operation === 'query')
}
