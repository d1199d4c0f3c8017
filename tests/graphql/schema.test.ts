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
import { limitRules } from '~/graphql/limits.ts'
import { schema } from '~/graphql/schema.server.ts'
import { operations } from './contract.ts'
import { missing } from './missing.ts'

test.each(operations())(
  '$name is valid as documented, limits and all, or still named as missing',
  ({ name, document }) => {
    const errors = validate(schema, document, [...specifiedRules, ...limitRules(20_000)])
    if (missing.has(name))
      expect(errors.length, `${name} works: take it off the list of missing ones`).toBeGreaterThan(0)
    else expect(errors.map((error) => error.message)).toEqual([])
  },
)

test('no documented operation costs more than a tenth of the limit', () => {
  for (const { name, document } of operations().filter((operation) => !missing.has(operation.name))) {
    expect(validate(schema, document, limitRules(2000)), name).toEqual([])
  }
})

test('introspection passes the limits', () => {
  expect(validate(schema, parse(getIntrospectionQuery()), limitRules(20_000))).toEqual([])
})

test('the printed schema is the one that is kept', async () => {
  await expect(`${printSchema(schema)}\n`).toMatchFileSnapshot('../../app/graphql/schema.graphql')
})

test('every public type, field and argument that is not plain from the contract is described', () => {
  const silent: string[] = []
  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type) || !isObjectType(type)) continue
    const isRoot = ['Query', 'Mutation'].includes(type.name)
    if (!type.description && !isRoot) silent.push(type.name)
    for (const field of Object.values(type.getFields())) {
      if (!field.description && field.name !== 'id') silent.push(`${type.name}.${field.name}`)
    }
  }
  expect(silent).toEqual([])
  expect(schema.getDirectives().every(isSpecifiedDirective)).toBe(true)
})
