import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { Invalid } from '~/services/errors.ts'
import { toCanonical, toIds } from '~/services/xapi/formats.ts'
import { contentHash } from '~/services/xapi/identity.ts'
import type { Statement, XapiVersion } from '~/services/xapi/types.ts'
import { isLanguageTag, parseDuration, parseTimestamp, toUtc } from '~/services/xapi/values.ts'
import { parseStatements } from '~/services/xapi/xapi.server.ts'

/** Rules of data where 1.0.3 and 2.0 differ, or where the exact wording matters. Sections are those of 1.0.3. */
const agent = { mbox: 'mailto:a@example.org' }
const group = { objectType: 'Group', mbox: 'mailto:g@example.org', member: [agent] }
const good = () => ({
  id: randomUUID(),
  actor: agent,
  verb: { id: 'https://verbs.example/did' },
  object: { id: 'https://activities.example/x' },
})
function sub(more: object = {}) {
  const { id: _id, ...rest } = good()
  return { objectType: 'SubStatement', ...rest, ...more }
}
const context = (fields: object) => ({ ...good(), context: fields })
const definition = (fields: object) => ({ ...good(), object: { ...good().object, definition: fields } })
const voided = { id: 'http://adlnet.gov/expapi/verbs/voided' }
const someone = (more: object = {}) => ({ objectType: 'contextAgent', agent, ...more })
const aContextGroup = (more: object = {}) => ({ objectType: 'contextGroup', group, ...more })
const relevantTypes = ['https://types.example/mentor']
const attachment = (more: object = {}) => ({
  ...good(),
  attachments: [
    {
      usageType: 'https://usages.example/essay',
      display: { en: 'An essay' },
      contentType: 'text/plain; charset=ascii',
      length: 27,
      sha2: 'a'.repeat(64),
      fileUrl: 'https://files.example/essay',
      ...more,
    },
  ],
})

const versions: XapiVersion[] = ['1.0.3', '2.0.0']
function isTaken(statement: object, version: XapiVersion): boolean {
  try {
    return parseStatements(JSON.parse(JSON.stringify(statement)), version).length === 1
  } catch (error) {
    if (error instanceof Invalid && /^[\w[\].]+ .+\.$/.test(error.message)) return false
    throw error
  }
}

test.each<[string, object, by103: boolean, by20: boolean]>([
  ['2.2 strings for numbers', { ...good(), result: { score: { max: '100' } } }, false, false],
  ['2.2 strings for booleans', { ...good(), result: { completion: 'false' } }, false, false],
  ['2.2 an empty text where a format is asked for', { ...good(), verb: { id: '' } }, false, false],
  ['2.2 null in a language map', { ...good(), verb: { ...good().verb, display: { en: null } } }, false, false],
  [
    '2.2 null, false and nothing in extensions',
    definition({ extensions: { 'x:a': null, 'x:b': {}, 'x:c': '' } }),
    true,
    true,
  ],
  ['2.2 another case of a value', definition({ interactionType: 'Other' }), false, false],
  [
    '2.3.2 voided with a reference',
    { ...good(), verb: voided, object: { objectType: 'StatementRef', id: randomUUID() } },
    true,
    true,
  ],
  ['2.3.2 voided in a SubStatement, without one', { ...good(), object: sub({ verb: voided }) }, false, false],
  ['2.4.2 an objectType that is an object', { ...good(), actor: { ...agent, objectType: {} } }, false, false],
  ['2.4.2 an identified Group', { ...good(), actor: group }, true, true],
  [
    '2.4.4.1 the other objectType of an activity',
    { ...good(), object: { ...good().object, objectType: 'activity' } },
    false,
    false,
  ],
  ['2.4.4.1 an interaction without components', definition({ interactionType: 'likert' }), true, true],
  ['2.4.4.1 no response is right', definition({ interactionType: 'choice', correctResponsesPattern: [] }), true, true],
  ['2.4.4.1 moreInfo without a scheme', definition({ moreInfo: 'example.org/more' }), false, false],
  ['2.4.4.2 an Agent without objectType as object', { ...good(), object: agent }, false, false],
  ['2.4.4.3 a SubStatement with stored', { ...good(), object: sub({ stored: '2026-01-31T12:00:00Z' }) }, false, false],
  ['2.4.4.3 a SubStatement with authority', { ...good(), object: sub({ authority: agent }) }, false, false],
  ['2.4.4.3 a SubStatement with version', { ...good(), object: sub({ version: '1.0.0' }) }, false, false],
  [
    '2.4.4.3 a SubStatement with what a statement may have',
    { ...good(), object: sub({ timestamp: '2056-01-31T12:00:00Z', result: {}, context: {} }) },
    true,
    true,
  ],
  [
    '2.4.5.1 scaled at both ends',
    { ...good(), result: { score: { scaled: -1, min: -1, max: 1, raw: 1 } } },
    true,
    true,
  ],
  ['2.4.5.1 min that is max', { ...good(), result: { score: { min: 1, max: 1 } } }, false, false],
  [
    '2.4.6 platform about a reference',
    { ...context({ platform: 'x' }), object: { objectType: 'StatementRef', id: randomUUID() } },
    false,
    false,
  ],
  ['2.4.6 revision about an activity without objectType', context({ revision: '1', platform: 'x' }), true, true],
  ['2.4.6 an anonymous team', context({ team: { objectType: 'Group', member: [agent] } }), true, true],
  ['2.4.6 an instructor that is a Group', context({ instructor: group }), true, true],
  ['2.4.6 a statement that is no reference', context({ statement: { id: randomUUID() } }), false, false],
  ['2.0 4.2.2.6 contextAgents', context({ contextAgents: [someone(), someone({ relevantTypes })] }), false, true],
  [
    '2.0 4.2.2.6 contextAgents in a SubStatement',
    { ...good(), object: sub({ context: { contextAgents: [someone()] } }) },
    false,
    true,
  ],
  [
    '2.0 4.2.2.6 contextAgents of another objectType',
    context({ contextAgents: [someone({ objectType: 'Agent' })] }),
    false,
    false,
  ],
  ['2.0 4.2.2.6 contextAgents without objectType', context({ contextAgents: [{ agent }] }), false, false],
  [
    '2.0 4.2.2.6 a contextAgent without an identifier',
    context({ contextAgents: [someone({ agent: {} })] }),
    false,
    false,
  ],
  ['2.0 4.2.2.6 a contextAgent that is a Group', context({ contextAgents: [someone({ agent: group })] }), false, false],
  ['2.0 4.2.2.6 empty relevantTypes', context({ contextAgents: [someone({ relevantTypes: [] })] }), false, false],
  [
    '2.0 4.2.2.6 relevantTypes that are no IRIs',
    context({ contextAgents: [someone({ relevantTypes: ['abc'] })] }),
    false,
    false,
  ],
  ['2.0 4.2.2.6 contextAgents that are no list', context({ contextAgents: someone() }), false, false],
  [
    '2.0 4.2.2.7 contextGroups',
    context({ contextGroups: [aContextGroup(), aContextGroup({ relevantTypes })] }),
    false,
    true,
  ],
  [
    '2.0 4.2.2.7 a contextGroup that is an Agent',
    context({ contextGroups: [aContextGroup({ group: agent })] }),
    false,
    false,
  ],
  [
    '2.0 4.2.2.7 a member beside the group',
    context({ contextGroups: [aContextGroup({ member: [agent] })] }),
    false,
    false,
  ],
  [
    '2.0 4.2.2.7 a contextGroup of another objectType',
    context({ contextGroups: [aContextGroup({ objectType: 'Group' })] }),
    false,
    false,
  ],
  ['2.4.7 a time to come', { ...good(), timestamp: '2096-01-31T12:00:00Z' }, true, true],
  ['2.4.7 no zone', { ...good(), timestamp: '2026-01-31T12:00:00' }, true, false],
  [
    '2.4.7 a blank for the T, as RFC 3339 has it',
    { ...good(), timestamp: '2026-01-31 12:00:00.601+00:00' },
    false,
    true,
  ],
  ['2.4.7 -00', { ...good(), timestamp: '2026-01-31T12:00:00.601-00' }, false, false],
  ['2.4.7 -0000', { ...good(), timestamp: '2026-01-31T12:00:00.601-0000' }, false, false],
  ['2.4.7 another calendar', { ...good(), timestamp: '01/011/2015' }, false, false],
  ['2.4.8 stored that is no time', { ...good(), stored: 'now' }, false, false],
  ['2.4.9 an authority of two', { ...good(), authority: { objectType: 'Group', member: [agent, agent] } }, true, true],
  ['2.4.9 an authority of one', { ...good(), authority: { objectType: 'Group', member: [agent] } }, false, false],
  [
    '2.4.9 an authority that is an identified Group',
    { ...good(), authority: { ...group, member: [agent, agent] } },
    false,
    false,
  ],
  ['2.4.10 version 1.0', { ...good(), version: '1.0' }, true, true],
  ['2.4.10 version 1.0.9', { ...good(), version: '1.0.9' }, true, true],
  ['2.4.10 version 2.0.0', { ...good(), version: '2.0.0' }, false, true],
  ['2.4.10 version 1.1.0', { ...good(), version: '1.1.0' }, false, false],
  ['2.4.10 version 2.1.0', { ...good(), version: '2.1.0' }, false, false],
  ['2.4.10 version 0.9.9', { ...good(), version: '0.9.9' }, false, false],
  ['2.4.11 an attachment at an address', attachment(), true, true],
  ['2.4.11 attachments that are no list', { ...good(), attachments: attachment().attachments[0] }, false, false],
  ['2.4.11 a usageType that is no IRI', attachment({ usageType: 'essay' }), false, false],
  ['2.4.11 a contentType that is none', attachment({ contentType: 'should fail' }), false, false],
  ['2.4.11 a contentType with a line end', attachment({ contentType: 'text/plain; a=\r\nb' }), false, false],
  ['2.4.11 a length that is no integer', attachment({ length: 1.5 }), false, false],
  ['2.4.11 a sha2 that is a number', attachment({ sha2: 12345 }), false, false],
  ['2.4.11 a fileUrl without a scheme', attachment({ fileUrl: 'files.example/x' }), false, false],
  ['2.4.11 a description in no language', attachment({ description: { something: 'x' } }), false, false],
  ['2.4.11 an empty list', { ...good(), attachments: [] }, true, true],
])('%s', (_name, statement, by103, by20) => {
  expect(versions.map((version) => isTaken(statement, version))).toEqual([by103, by20])
})

test('2.2 JSON numbers that cannot be returned exactly are refused', () => {
  const text = JSON.stringify({ ...good(), result: { score: { raw: 1 } } }).replace('"raw":1', '"raw":1e999')
  expect(() => parseStatements(JSON.parse(text), '1.0.3')).toThrow('result.score.raw')
})

test.each([
  ['P4W', true],
  ['P4W1D', false],
  ['P3Y1M29DT4H35M59.14S', true],
  ['PT16559.14S', true],
  ['PT1,5S', true],
  ['P0.5Y', true],
  ['PT1.5H30M', false],
  ['PA1H0M0S', false],
  ['+PT1S', false],
  ['P', false],
  ['P1DT', false],
  ['pt1s', false],
  ['P0003-06-04T12:30:05', false],
])('4.6 the duration %s: %s', (text, isOne) => {
  expect(parseDuration(text) !== null).toBe(isOne)
})

test.each([
  ['zh-Hans-CN', true],
  ['sr-Latn-RS', true],
  ['cmn', true],
  ['es-419', true],
  ['de-a-one-b-two', true],
  ['x-a-a', true],
  ['zh-z-aaa-z-bbb-c-ccc', false],
  ['de-1996-1996', false],
  ['something', false],
  ['a-de', false],
  ['en-US-', false],
])('4.2 the language tag %s: %s', (tag, isOne) => {
  expect(isLanguageTag(tag)).toBe(isOne)
})

const parsed = (statement: object, version: XapiVersion = '2.0.0') =>
  parseStatements(structuredClone(statement), version)[0] as Statement
const timed = { ...good(), timestamp: '2026-01-31T12:00:00Z' }
const attached = attachment()

test.each<[string, object, object, isSame: boolean]>([
  ['definitions and displays', timed, { ...timed, verb: { ...timed.verb, display: { en: 'did' } } }, true],
  [
    'the order of members',
    { ...timed, actor: { ...group, member: [agent, { mbox: 'mailto:b@example.org' }] } },
    { ...timed, actor: { ...group, member: [{ mbox: 'mailto:b@example.org' }, agent] } },
    true,
  ],
  [
    'authority, stored and version',
    timed,
    { ...timed, authority: agent, stored: timed.timestamp, version: '2.0.0' },
    true,
  ],
  [
    'names of agents',
    context({ contextAgents: [someone()] }),
    context({ contextAgents: [someone({ agent: { ...agent, name: 'A' } })] }),
    true,
  ],
  ['the case of a domain', timed, { ...timed, actor: { mbox: 'mailto:a@EXAMPLE.org' } }, true],
  ['the case of a local part', timed, { ...timed, actor: { mbox: 'mailto:A@example.org' } }, false],
  ['the zone of a time', timed, { ...timed, timestamp: '2026-01-31T13:00:00.000+01:00' }, true],
  ['the time, which a store fills in', timed, { ...timed, timestamp: '2026-01-31T12:00:00.001Z' }, true],
  [
    'the time of a SubStatement',
    { ...timed, object: sub({ timestamp: timed.timestamp }) },
    { ...timed, object: sub({ timestamp: '2026-01-31T12:00:01Z' }) },
    false,
  ],
  [
    'hundredths of a duration',
    { ...timed, result: { duration: 'PT60.02S' } },
    { ...timed, result: { duration: 'PT60.029S' } },
    true,
  ],
  [
    'a duration in other units (2.3.1: a text)',
    { ...timed, result: { duration: 'PT60S' } },
    { ...timed, result: { duration: 'PT1M' } },
    false,
  ],
  ['a response', { ...timed, result: { response: 'a' } }, { ...timed, result: { response: 'b' } }, false],
  [
    'an extension',
    { ...timed, result: { extensions: { 'x:a': { b: 1, c: 2 } } } },
    { ...timed, result: { extensions: { 'x:a': { c: 2, b: 1 } } } },
    true,
  ],
  ['attachments (2.3.1, 2.0 4.2)', attached, attachment({ sha2: 'b'.repeat(64) }), true],
  ['the case of a sum', attached, attachment({ sha2: 'A'.repeat(64) }), true],
])('2.3.1 compared: %s', (_name, one, other, isSame) => {
  expect(contentHash(parsed(one)).equals(contentHash(parsed(other)))).toBe(isSame)
})

// Hashes are stored with the statements, so a later build must find the same ones.
test.each([
  [
    { mbox: 'mailto:Zoe@EXAMPLE.org' },
    {
      result: {
        duration: 'PT1.23999S',
        extensions: { 'https://x.example/10': { 10: -0, 9: [null, { b: 1, a: 'é' }] } },
      },
      context: { contextActivities: { other: [{ id: 'https://a.example/2' }, { id: 'https://a.example/1' }] } },
    },
    'bd7b887f5749c5452beb14f934af6af5a46074bc0927376e822ee8bedd1cafbc',
  ],
  [
    { objectType: 'Group', member: [{ mbox: 'mailto:b@example.org' }, { mbox: 'mailto:a@example.org' }] },
    { result: { response: 'a "quoted"\u2028 \ud83d\ude00 \\ line\n', score: { raw: 1e21 } } },
    '3ab5e0ec15786d09cdc3de3cf37252747086115a6023b722bb25a5e500b8a283',
  ],
])('the hash of a statement by %j stays the same', (actor, parts, hash) => {
  expect(contentHash(parsed({ ...timed, actor, ...parts })).toString('hex')).toBe(hash)
})

test.each([
  ['2026-01-31T13:00:00.1234567+01:00', '2026-01-31T12:00:00.1234567Z'],
  ['2026-01-31T00:30:00-0030', '2026-01-31T01:00:00Z'],
  ['2026-01-31 12:00:00Z', '2026-01-31T12:00:00Z'],
  ['2026-01-31T12:00:00+00:00', '2026-01-31T12:00:00Z'],
  ['2026-01-31T12:00:00.5Z', '2026-01-31T12:00:00.5Z'],
  ['2026-01-31T12:00:00', '2026-01-31T12:00:00'],
])('2.0 4.2.7 the time %s is returned as %s', (text, expected) => {
  expect(toUtc(text)).toBe(expected)
  expect(parseTimestamp(expected)).toBe(parseTimestamp(text))
})

test('4.5 a year has four digits, even after conversion to UTC', () => {
  expect(parseTimestamp('9999-12-31T23:30:00-01:00')).toBeNull()
  expect(parseTimestamp('0001-01-01T00:30:00+01:00')).toBeNull()
})

test('2.1.3 format ids returns only the identifiers of agents, activities, verbs and groups', () => {
  const named = { ...agent, objectType: 'Agent', name: 'A' }
  const full = {
    ...good(),
    actor: { objectType: 'Group', name: 'All', member: [named] },
    verb: { ...good().verb, display: { en: 'did' } },
    object: { objectType: 'Activity', id: 'x:y', definition: { name: { en: 'Y' } } },
    authority: named,
    context: {
      instructor: named,
      contextAgents: [someone({ agent: named, relevantTypes })],
      contextGroups: [aContextGroup({ group: { ...group, name: 'G' } })],
      contextActivities: { parent: [{ id: 'x:p', definition: {} }] },
    },
  }
  const bare = { ...agent, objectType: 'Agent' }
  expect(toIds(parsed(full))).toEqual({
    id: full.id,
    actor: { objectType: 'Group', member: [bare] },
    verb: good().verb,
    object: { id: 'x:y' },
    authority: bare,
    context: {
      instructor: bare,
      contextAgents: [someone({ agent: bare, relevantTypes })],
      contextGroups: [aContextGroup({ group: { objectType: 'Group', mbox: group.mbox } })],
      contextActivities: { parent: [{ id: 'x:p' }] },
    },
  })
})

test('2.1.3 canonical: one language in each map, also in interaction components', () => {
  const texts = { en: 'one', de: 'eins', fr: 'un' }
  const full = {
    ...definition({
      name: texts,
      description: { fr: 'un', en: 'one' },
      interactionType: 'matching',
      source: [{ id: 'a', description: texts }],
      target: [{ id: 'b', description: { en: 'two' } }, { id: 'c' }],
    }),
    verb: { ...good().verb, display: texts },
  }
  expect(toCanonical(parsed(full), ({ definition }) => definition, ['de-AT', 'fr'])).toMatchObject({
    verb: { display: { de: 'eins' } },
    object: {
      definition: {
        name: { de: 'eins' },
        description: { fr: 'un' },
        source: [{ id: 'a', description: { de: 'eins' } }],
        target: [{ id: 'b', description: { en: 'two' } }, { id: 'c' }],
      },
    },
  })
})
