import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { Invalid } from '~/services/errors.ts'
import { formatMicros, isLanguageTag, parseDuration, parseTimestamp } from '~/services/xapi/values.ts'
import { parseStatements } from '~/services/xapi/xapi.server.ts'

const good = () => ({
  id: randomUUID(),
  actor: { mbox: 'mailto:a@example.org' } as Record<string, unknown>,
  verb: { id: 'https://verbs.example/did', display: { en: 'did' } } as Record<string, unknown>,
  object: { id: 'https://activities.example/x' } as Record<string, unknown>,
})

const account = { homePage: 'https://example.org', name: 'x' }
const sub = { objectType: 'SubStatement', actor: good().actor, verb: good().verb, object: good().object }
const withResult = (result: object) => ({ ...good(), result })
const withContext = (context: object) => ({ ...good(), context })
const withDefinition = (definition: object) => ({ ...good(), object: { ...good().object, definition } })
const attachment = {
  usageType: 'https://example.org/u',
  display: { en: 'x' },
  contentType: 'text/plain',
  length: 1,
  sha2: 'a'.repeat(64),
}

/** Clause of xAPI 1.0.3 (data), its subject, the statement, and the path that the refusal names. */
const refused: [string, unknown, string][] = [
  ['2.2 not an object', 'statement', 'statement'],
  ['2.2 an unknown property', { ...good(), more: 1 }, 'more'],
  ['2.2 null', { ...good(), result: null }, 'result'],
  ['2.2 another case', { ...good(), Verb: good().verb }, 'Verb'],
  ['2.4 no actor', { ...good(), actor: undefined }, 'actor'],
  ['2.4 no verb', { ...good(), verb: undefined }, 'verb'],
  ['2.4 no object', { ...good(), object: undefined }, 'object'],
  ['2.4.1 an id that is no UUID', { ...good(), id: 'x' }, 'id'],
  ['2.4.2 no identifier', { ...good(), actor: { name: 'x' } }, 'actor'],
  ['2.4.2 two identifiers', { ...good(), actor: { mbox: 'mailto:a@example.org', account } }, 'actor'],
  ['2.4.2 an unknown type', { ...good(), actor: { ...good().actor, objectType: 'Robot' } }, 'actor.objectType'],
  ['2.4.2 mbox without mailto', { ...good(), actor: { mbox: 'a@example.org' } }, 'actor.mbox'],
  ['2.4.2 a sha1sum that is none', { ...good(), actor: { mbox_sha1sum: 'abc' } }, 'actor.mbox_sha1sum'],
  ['2.4.2 an openid that is no IRI', { ...good(), actor: { openid: 'abc' } }, 'actor.openid'],
  ['2.4.2 an account without homePage', { ...good(), actor: { account: { name: 'x' } } }, 'actor.account.homePage'],
  [
    '2.4.2 an account name that is a number',
    { ...good(), actor: { account: { ...account, name: 1 } } },
    'actor.account.name',
  ],
  ['2.4.2 members of an Agent', { ...good(), actor: { ...good().actor, member: [] } }, 'actor.member'],
  ['2.4.2 an empty anonymous Group', { ...good(), actor: { objectType: 'Group', member: [] } }, 'actor.member'],
  [
    '2.4.2 a Group in a Group',
    { ...good(), actor: { objectType: 'Group', member: [{ objectType: 'Group', member: [good().actor] }] } },
    'actor.member[0]',
  ],
  ['2.4.3 a verb that is no IRI', { ...good(), verb: { id: 'did' } }, 'verb.id'],
  [
    '2.4.3 a language that is none',
    { ...good(), verb: { ...good().verb, display: { 'not a tag': 'x' } } },
    'verb.display.not a tag',
  ],
  ['2.4.4 an unknown object type', { ...good(), object: { objectType: 'Thing', id: 'x:y' } }, 'object.objectType'],
  ['2.4.4 an activity without id', { ...good(), object: {} }, 'object.id'],
  [
    '2.4.4 a StatementRef with more',
    { ...good(), object: { objectType: 'StatementRef', id: randomUUID(), definition: {} } },
    'object.definition',
  ],
  ['2.4.4.1 a type that is no IRI', withDefinition({ type: 'lesson' }), 'object.definition.type'],
  ['2.4.4.1 extensions without IRIs', withDefinition({ extensions: { a: 1 } }), 'object.definition.extensions.a'],
  ['2.4.4.1 an unknown interaction', withDefinition({ interactionType: 'guess' }), 'object.definition.interactionType'],
  ['2.4.4.1 choices without a type', withDefinition({ choices: [{ id: 'a' }] }), 'object.definition.interactionType'],
  [
    '2.4.4.1 choices of a likert',
    withDefinition({ interactionType: 'likert', choices: [{ id: 'a' }] }),
    'object.definition.choices',
  ],
  [
    '2.4.4.1 a choice twice',
    withDefinition({ interactionType: 'choice', choices: [{ id: 'a' }, { id: 'a' }] }),
    'object.definition.choices[1].id',
  ],
  ['2.4.4.3 a SubStatement in a SubStatement', { ...good(), object: { ...sub, object: sub } }, 'object.object'],
  ['2.4.4.3 a SubStatement with an id', { ...good(), object: { ...sub, id: randomUUID() } }, 'object.id'],
  ['2.4.4.3 a bad verb inside', { ...good(), object: { ...sub, verb: {} } }, 'object.verb.id'],
  ['2.4.5 scaled above 1', withResult({ score: { scaled: 1.1 } }), 'result.score.scaled'],
  ['2.4.5 raw above max', withResult({ score: { raw: 11, min: 0, max: 10 } }), 'result.score.raw'],
  ['2.4.5 min above max', withResult({ score: { min: 10, max: 0 } }), 'result.score.min'],
  ['2.4.5 success as text', withResult({ success: 'true' }), 'result.success'],
  ['2.4.5 a duration that is none', withResult({ duration: '1h' }), 'result.duration'],
  ['2.4.6 a registration that is no UUID', withContext({ registration: 'x' }), 'context.registration'],
  ['2.4.6 a team that is an Agent', withContext({ team: good().actor }), 'context.team'],
  [
    '2.4.6 revision about an Agent',
    { ...withContext({ revision: '1' }), object: { objectType: 'Agent', ...good().actor } },
    'context.revision',
  ],
  ['2.4.6 a language that is none', withContext({ language: 'not a tag' }), 'context.language'],
  [
    '2.4.6 an unknown kind of context activity',
    withContext({ contextActivities: { sibling: [] } }),
    'context.contextActivities.sibling',
  ],
  [
    '2.4.6 a context activity that is an Agent',
    withContext({ contextActivities: { parent: [{ objectType: 'Agent', ...good().actor }] } }),
    'context.contextActivities.parent[0].mbox',
  ],
  ['2.4.6 context agents belong to 2.0', withContext({ contextAgents: [] }), 'context.contextAgents'],
  ['2.4.7 a timestamp that is none', { ...good(), timestamp: 'yesterday' }, 'timestamp'],
  ['2.4.7 a day that is not', { ...good(), timestamp: '2026-02-31T12:00:00Z' }, 'timestamp'],
  ['2.4.7 minus zero', { ...good(), timestamp: '2026-01-31T12:00:00-00:00' }, 'timestamp'],
  [
    '2.4.9 an authority of three',
    { ...good(), authority: { objectType: 'Group', member: [1, 2, 3].map(() => good().actor) } },
    'authority',
  ],
  ['2.4.10 another version', { ...good(), version: '0.9' }, 'version'],
  [
    '2.4.11 an attachment without display',
    { ...good(), attachments: [{ ...attachment, display: undefined }] },
    'attachments[0].display',
  ],
  ['2.4.11 a sum that is none', { ...good(), attachments: [{ ...attachment, sha2: 'x' }] }, 'attachments[0].sha2'],
  ['2.3.2 voided about an activity', { ...good(), verb: { id: 'http://adlnet.gov/expapi/verbs/voided' } }, 'object'],
]

test.each(refused)('%s is refused, with its path', (_name, statement, path) => {
  const sent = JSON.parse(JSON.stringify(statement))
  expect(() => parseStatements(sent, '1.0.3')).toThrow(Invalid)
  expect(() => parseStatements(sent, '1.0.3')).toThrow(`${path} `)
  expect(() => parseStatements([sent], '1.0.3')).toThrow(/^\[0\]/)
})

const accepted: [string, object][] = [
  ['the least', good()],
  ['an account', { ...good(), actor: { objectType: 'Agent', name: 'x', account } }],
  ['an identified Group without members', { ...good(), actor: { objectType: 'Group', account } }],
  ['an Agent as object', { ...good(), object: { objectType: 'Agent', ...good().actor } }],
  ['a SubStatement', { ...good(), object: sub }],
  [
    'a full result',
    withResult({
      score: { scaled: 0.5, raw: 5, min: 0, max: 10 },
      success: true,
      completion: false,
      response: '',
      duration: 'P1DT2H3.45S',
    }),
  ],
  ['null inside extensions', withResult({ extensions: { 'https://example.org/e': null } })],
  ['an attachment elsewhere', { ...good(), attachments: [{ ...attachment, fileUrl: 'https://example.org/f' }] }],
  ['a likert', withDefinition({ interactionType: 'likert', scale: [{ id: 'a', description: { en: 'x' } }] })],
  ['an empty definition', withDefinition({})],
  ['time without a zone in 1.0.3', { ...good(), timestamp: '2026-01-31T12:00:00' }],
]

test.each(accepted)('accepted: %s', (_name, statement) => {
  expect(parseStatements(statement, '1.0.3')).toHaveLength(1)
})

test('a single context activity becomes a list of one (2.4.6.2)', () => {
  const [statement] = parseStatements(
    withContext({ contextActivities: { parent: { id: 'https://example.org/p' } } }),
    '1.0.3',
  )
  expect(statement?.context?.contextActivities?.parent).toEqual([{ id: 'https://example.org/p' }])
})

test('xAPI 2.0 has context agents and groups, and requires a time zone', () => {
  const contextAgents = [{ objectType: 'contextAgent', agent: good().actor, relevantTypes: ['https://example.org/t'] }]
  expect(parseStatements(withContext({ contextAgents }), '2.0.0')).toHaveLength(1)
  expect(() => parseStatements({ ...good(), timestamp: '2026-01-31T12:00:00' }, '2.0.0')).toThrow('timestamp')
})

test.each([
  ['PT1H30M', 5400],
  ['PT0.5S', 0.5],
  ['P1DT1S', 86_401],
  ['P2W', 1_209_600],
  ['-PT1S', null],
  ['', null],
  ['PT', null],
])('duration %s is %s seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds)
})

test('timestamps keep microseconds', () => {
  const micros = parseTimestamp('2026-11-21T03:02:11.123456Z') as number
  expect(formatMicros(micros)).toBe('2026-11-21T03:02:11.123456Z')
  expect(parseTimestamp('2026-11-21T05:02:11.123456+02:00')).toBe(micros)
  expect(parseTimestamp('2026-11-21T05:02:11.123456+0200')).toBe(micros)
})

test.each(['en', 'en-US', 'zh-Hant-TW', 'sl-rozaj-biske', 'x-private', 'und', 'de-1996'])(
  '%s is a language tag',
  (tag) => {
    expect(isLanguageTag(tag)).toBe(true)
  },
)

test.each(['', 'e', 'english-language-', 'en_US', '12'])('%s is not a language tag', (tag) => {
  expect(isLanguageTag(tag)).toBe(false)
})
