import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ServiceError } from '~/services/errors.ts'
import { queryMoreStatements, queryStatements, recordStatements } from '~/services/xapi/xapi.server.ts'
import { rounds } from '../support/long.ts'
import { ctx } from '../support/test.ts'

const authority = { mbox: 'mailto:lrs@example.org' }
const seed = 20261121

function base() {
  return {
    id: randomUUID(),
    actor: { objectType: 'Group', name: 'G', member: [{ mbox: 'mailto:a@example.org' }] },
    verb: { id: 'https://verbs.example/did', display: { en: 'did' } },
    object: {
      id: 'https://activities.example/x',
      definition: { name: { en: 'X' }, interactionType: 'choice', choices: [{ id: 'a', description: { en: 'A' } }] },
    },
    result: { score: { scaled: 0.5, raw: 5, min: 0, max: 10 }, duration: 'PT1S', response: 'a', extensions: {} },
    context: {
      registration: randomUUID(),
      instructor: { account: { homePage: 'https://example.org', name: 'x' } },
      contextActivities: { grouping: [{ id: 'https://activities.example/y' }] },
      language: 'en',
      extensions: { 'https://example.org/e': [1, 'a'] },
    },
    timestamp: '2026-01-31T12:00:00.000Z',
  }
}

/** Every place in the statement, as a path of keys. */
function pathsOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...path, key]))]
}

function replaceAt(target: unknown, [key, ...rest]: string[], value: unknown): unknown {
  if (key === undefined) return value
  const copy: Record<string, unknown> = Array.isArray(target) ? ([...target] as never) : { ...(target as object) }
  copy[key] = replaceAt(copy[key], rest, value)
  return copy
}

async function listAll(query: Parameters<typeof queryStatements>[1]): Promise<string[]> {
  let page = await queryStatements(ctx, { ...query, limit: 0 })
  const all = [...page.statements]
  while (page.more !== null) {
    page = await queryMoreStatements(ctx, { cursor: page.more })
    all.push(...page.statements)
  }
  return all
}

const text = fc.string({
  unit: fc.constantFrom('a', ':', '/', '\u0000', '\ud800', '\u202e', 'é', '"', "'", '%', '\n', '😀'),
})
const junk = fc.oneof(
  fc.jsonValue(),
  text,
  text.map((rest) => `https://example.org/${rest}`),
  fc.constantFrom('9999-12-31T23:59:59Z', '0000-01-01T00:00:00Z', '-000001-01-01T00:00:00Z', 'P9999999999Y', 1e308, -0),
)

test('a statement with any value anywhere is stored or refused with a message, never an internal error', async () => {
  const paths = pathsOf(base())
  const attempt = async (path: string[], value: unknown) => {
    const sent = JSON.parse(JSON.stringify(replaceAt(base(), path, value)) ?? 'null')
    try {
      const ids = await recordStatements(ctx, { statements: sent, authority, version: '1.0.3' })
      expect(ids.length).toBe(Array.isArray(sent) ? sent.length : 1)
    } catch (error) {
      expect(error).toBeInstanceOf(ServiceError)
    }
  }
  await fc.assert(fc.asyncProperty(fc.constantFrom(...paths), junk, attempt), { seed, numRuns: rounds(1500) })
  const statements = await listAll({})
  for (const statement of statements) expect(JSON.parse(statement)).toHaveProperty('stored')
})

test('2.0 properties and sub-statements with attachments are stored or refused too, and returned in each format', async () => {
  const { id: _id, ...inner } = base()
  const attachment = { usageType: 'x:u', display: { en: 'a' }, contentType: 'a/b', length: 1, sha2: 'a'.repeat(64) }
  const later = () => ({
    ...base(),
    context: {
      contextAgents: [{ objectType: 'contextAgent', agent: { mbox: 'mailto:a@example.org' }, relevantTypes: ['x:t'] }],
      contextGroups: [{ objectType: 'contextGroup', group: { objectType: 'Group', member: [{ openid: 'x:o' }] } }],
    },
    object: { objectType: 'SubStatement', ...inner, attachments: [{ ...attachment, fileUrl: 'x:f' }] },
  })
  const attempt = async (path: string[], value: unknown) => {
    const sent = JSON.parse(JSON.stringify(replaceAt(later(), path, value)) ?? 'null')
    await recordStatements(ctx, { statements: sent, authority, version: '2.0.0' }).catch((error) =>
      expect(error).toBeInstanceOf(ServiceError),
    )
  }
  await fc.assert(fc.asyncProperty(fc.constantFrom(...pathsOf(later())), junk, attempt), { seed, numRuns: rounds(700) })
  for (const format of ['exact', 'ids', 'canonical'] as const) {
    const statements = await listAll({ format, languages: ['de'], withAttachments: true })
    for (const statement of statements) expect(JSON.parse(statement)).toHaveProperty('stored')
  }
})
