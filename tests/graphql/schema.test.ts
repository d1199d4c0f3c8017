import {
  getIntrospectionQuery,
  isIntrospectionType,
  isObjectType,
  isSpecifiedDirective,
  parse,
  printSchema,
  specifiedRules,
  validate,
} from 'graphql'
import { expect, test } from 'vitest'
import { costRule, longLists } from '~/graphql/cost.ts'
import { documentRules, parseOnce, validateOnce } from '~/graphql/limits.ts'
import { schema } from '~/graphql/schema.server.ts'
import { operations } from './contract.ts'
import { missing } from './missing.ts'

/** The default of the setting. */
const maxCost = 100_000

test.each(operations())(
  'A-210 $name is valid as documented and within the limits, or listed as missing',
  ({ name, document }) => {
    const errors = validate(schema, document, [...specifiedRules, ...documentRules(), costRule(maxCost)])
    if (missing.has(name))
      expect(errors.length, `${name} works: take it off the list of missing ones`).toBeGreaterThan(0)
    else
      expect(
        errors.map((error) => error.message),
        'the contract stays: the schema must serve it',
      ).toEqual([])
  },
)

const messages = (text: string, variables?: Record<string, unknown>) =>
  validate(schema, parse(text), [...documentRules(), costRule(maxCost, variables)]).map(({ message }) => message)

test('a whole page of each documented list costs less than a third of the limit', () => {
  for (const { name, document } of operations().filter((operation) => !missing.has(operation.name))) {
    expect(validate(schema, document, [...documentRules(), costRule(maxCost / 3, { first: 100 })]), name).toEqual([])
  }
})

test('A-218 a literal costs as much as the same value in a variable, and both are limited', () => {
  const fields =
    'edges { node { uid name description tags { id text } accessPlans { uid name } latestVersion { version } } }'
  expect(messages(`{ modules(first: 100) { ${fields} } }`)).toEqual([])
  expect(messages(`query ($first: Int) { modules(first: $first) { ${fields} } }`, { first: 100 })).toEqual([])
  const refusal = /^This operation asks for too much: its cost is \d+, and at most 100000 is allowed\./
  const many = 9000
  const asLiteral = messages(`{ modules(first: ${many}) { ${fields} } }`)
  expect(asLiteral[0]).toMatch(refusal)
  expect(messages(`query ($n: Int) { modules(first: $n) { ${fields} } }`, { n: many })).toEqual(asLiteral)
  expect(messages(`query ($n: Int = ${many}) { modules(first: $n) { ${fields} } }`)).toEqual(asLiteral)
  expect(messages(`query { ...all } fragment all on Query { modules(first: ${many}) { ${fields} } }`)).toEqual(
    asLiteral,
  )
  expect(messages(`query { ... on Query { modules(first: ${many}) { ${fields} } } }`)).toEqual(asLiteral)
  // Without a size, the schema's default counts. An invalid size counts as a whole page.
  const size = (argument: string) => messages(`{ a: courses${argument} { edges { node { uid name } } } }`)
  expect([size(''), size('(first: -5)'), size('(first: 0)')]).toEqual([[], [], []])
})

test('a size of null costs a whole page, as services answer it', () => {
  const costOf = (text: string, variables?: Record<string, unknown>) =>
    validate(schema, parse(text), [costRule(0, variables)])[0]?.message.match(/its cost is (\d+),/)?.[1]
  const courses = (argument: string) => `{ courses${argument} { edges { node { uid } } } }`
  expect(costOf(courses(''))).toBe(costOf(courses('(first: 10)')))
  const whole = costOf(courses('(first: 100)'))
  expect(costOf(courses('(first: null)'))).toBe(whole)
  expect(costOf(`query ($n: Int) ${courses('(first: $n)')}`, { n: null })).toBe(whole)
  expect(costOf(`query ($n: Int = null) ${courses('(first: $n)')}`)).toBe(whole)
  expect(costOf(`query ($n: Int) ${courses('(first: $n)')}`)).toBe(costOf(courses('(first: 10)')))
})

test('lists without pages that can be long are counted as long', () => {
  const refused = /asks for too much/
  const uids = 'versions { units { uid } }'
  expect(messages(`{ sections { chapters { defaultModules { ${uids} } } } }`)[0]).toMatch(refused)
  expect(messages(`{ modules(first: 100) { edges { node { ${uids} } } } }`)[0]).toMatch(refused)
  expect(messages('{ sections { chapters { uid name defaultModules { uid name } } } }')).toEqual([])
  expect(messages(`{ modules(first: 10) { edges { node { uid name ${uids} } } } }`)).toEqual([])
  for (const name of Object.keys(longLists)) {
    const [type = '', field = ''] = name.split('.')
    const owner = schema.getType(type)
    const found = isObjectType(owner) ? owner.getFields()[field] : undefined
    expect(String(found?.type), name).toMatch(/^\[/)
    expect(found?.args.some((argument) => argument.name === 'first')).toBe(false)
  }
})

test('fragments that refer to each other many times are counted quickly', () => {
  const chain = Array.from(
    { length: 60 },
    (_, index) => `fragment f${index} on Query { ...f${index + 1} ... on Query { ...f${index + 1} } }`,
  ).join(' ')
  const [message] = messages(`{ ...f0 } ${chain} fragment f60 on Query { featureFlags }`)
  expect(message).toMatch(/asks for too much/)
})

test('a fragment on an interface costs as much as the same fields without it', () => {
  const versions = 'versions { module { versions { module { versions { uid status publishedTs } } } } }'
  const spread = (node: string, fragments = '') =>
    messages(`{ modules(first: 9000) { edges { node { ${node} } } } } ${fragments}`)
  const plain = spread(versions)
  expect(plain[0]).toMatch(/its cost is \d+/)
  expect(spread('...f', `fragment f on Node { ... on Module { ${versions} } }`)).toEqual(plain)
  expect(spread('...f', `fragment f on Node { ...g } fragment g on Module { ${versions} }`)).toEqual(plain)
  expect(spread(`... on Node { ... on Module { ${versions} } }`)).toEqual(plain)
})

test('introspection is within the limits', () => {
  expect(validate(schema, parse(getIntrospectionQuery()), [...documentRules(), costRule(maxCost)])).toEqual([])
})

test('the printed schema matches the stored one', async () => {
  const hint = 'if you meant to change it: npm test -- unit tests/graphql/schema.test.ts -u, and read what differs'
  await expect(`${printSchema(schema)}\n`, hint).toMatchFileSnapshot('../../app/graphql/schema.graphql')
})

test('every public type, field and argument that the contract does not explain has a description', () => {
  const silent: string[] = []
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type) || !isObjectType(type)) continue
    const isRoot = ['Query', 'Mutation'].includes(type.name)
    if (!type.description && !isRoot) silent.push(type.name)
    for (const field of Object.values(type.getFields())) {
      if (!field.description && field.name !== 'id') silent.push(`${type.name}.${field.name}`)
    }
  }
  expect(silent, 'describe each in app/graphql/schema').toEqual([])
  expect(schema.getDirectives().every(isSpecifiedDirective)).toBe(true)
})

test('a valid document is parsed and checked once, and an invalid one is refused each time', () => {
  const text = '{ me { uid } }'
  expect(parseOnce(text)).toBe(parseOnce(text))
  expect(validateOnce(schema, parseOnce(text))).toEqual([])
  const wrong = '{ me { password } }'
  for (let time = 0; time < 2; time++) expect(validateOnce(schema, parseOnce(wrong))).toHaveLength(1)
  const long = `{ me { uid } } # ${'x'.repeat(20_000)}`
  expect(parseOnce(long)).not.toBe(parseOnce(long))
  for (let n = 0; n < 250; n++) parseOnce(`{ me { uid } } # ${n}`)
  expect(parseOnce(`{ me { uid } } # 249`)).toBe(parseOnce(`{ me { uid } } # 249`))
})
