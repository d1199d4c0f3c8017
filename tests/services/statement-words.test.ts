/**
 * Statements as sentences: every verb of cmi5 and of the video profile, every kind of answer, and unknown statements.
 */
import { expect, test } from 'vitest'
import { type Statement, secondsInWords, statementInWords } from '~/services/xapi/xapi.server.ts'

type Part = { verb?: string | Statement['verb']; object?: object; result?: object; actor?: object }

const adl = 'http://adlnet.gov/expapi/verbs/'
const video = 'https://w3id.org/xapi/video/verbs/'
const plate = { id: 'https://example.org/units/1', definition: { name: { en: 'Reading a plate', de: 'Die Platte' } } }

function words(
  { verb = `${adl}completed`, object = plate, result, actor }: Part,
  actorName: string | null = 'Ada Okafor',
) {
  return statementInWords(
    {
      actor: actor ?? { account: { homePage: 'https://example.org', name: 'u-1' } },
      verb: typeof verb === 'string' ? { id: verb } : verb,
      object,
      result,
    } as Statement,
    actorName === null ? {} : { actorName },
  )
}
const sentence = (part: Part) => words(part).sentence

test('a sentence names the actor and the verb, then the score and the time', () => {
  const result = { completion: true, score: { scaled: 0.8 }, duration: 'PT12M' }
  expect(words({ result })).toEqual({
    actor: 'Ada Okafor',
    verb: 'completed',
    object: 'Reading a plate',
    details: ['score 80%', '12 min'],
    sentence: 'Ada Okafor completed “Reading a plate”, score 80%, 12 min',
  })
})

test.each([
  [`${adl}launched`, 'launched'],
  [`${adl}initialized`, 'started'],
  [`${adl}completed`, 'completed'],
  [`${adl}passed`, 'passed'],
  [`${adl}failed`, 'failed'],
  [`${adl}terminated`, 'left'],
  ['https://w3id.org/xapi/adl/verbs/abandoned', 'abandoned'],
  ['https://w3id.org/xapi/adl/verbs/waived', 'was excused from'],
  ['https://w3id.org/xapi/adl/verbs/satisfied', 'satisfied'],
  [`${video}played`, 'played'],
  [`${video}paused`, 'paused'],
  [`${video}seeked`, 'moved within'],
  [`${adl}interacted`, 'interacted with'],
])('%s reads "%s"', (verb, expected) => {
  expect(sentence({ verb })).toBe(`Ada Okafor ${expected} “Reading a plate”`)
})

test('an unknown verb is shown by its display, or else by the last part of its IRI', () => {
  const id = 'https://example.org/verbs/took%20note'
  expect(words({ verb: { id, display: { de: 'notierte', en: 'noted' } } }).verb).toBe('noted')
  expect(words({ verb: { id, display: {} } }).verb).toBe('took note')
  expect(words({ verb: 'https://example.org/verbs#sighed/' }).verb).toBe('sighed')
  expect(words({ verb: 'tag:example.org,2026:%ff' }).verb).toBe('%ff')
})

test('scores are shown in percent or else in points, and durations are short', () => {
  const detail = (result: object, verb = `${adl}passed`) => words({ verb, result }).details
  expect(detail({ score: { scaled: 0.8333 } })).toEqual(['score 83.3%'])
  expect(detail({ score: { scaled: -0.5 } })).toEqual(['score -50%'])
  expect(detail({ score: { raw: 8, max: 10 } })).toEqual(['score 8 of 10'])
  expect(detail({ score: { raw: 8 } })).toEqual(['score 8'])
  expect(detail({ score: {} })).toEqual([])
  expect(detail({ duration: 'PT0S' })).toEqual([])
  expect(detail({ success: true })).toEqual([])
  expect(detail({ success: false }, `${adl}completed`)).toEqual(['not successful'])
  expect(detail({ completion: false })).toEqual(['not complete'])
  expect([45, 60, 75.4, 599, 720, 3600, 3900, 90_000].map(secondsInWords)).toEqual([
    '45 s',
    '1 min',
    '1 min 15 s',
    '9 min 59 s',
    '12 min',
    '1 h',
    '1 h 5 min',
    '25 h',
  ])
})

test('progress, reasons and places in a film come only from their extensions', () => {
  const cmi5 = 'https://w3id.org/xapi/cmi5/result/extensions/'
  const film = 'https://w3id.org/xapi/video/extensions/'
  expect(words({ result: { extensions: { [`${cmi5}progress`]: 40 } } }).details).toEqual(['progress 40%'])
  expect(
    words({
      verb: 'https://w3id.org/xapi/adl/verbs/waived',
      result: { success: true, extensions: { [`${cmi5}reason`]: 'Tested Out' } },
    }).details,
  ).toEqual(['successful', 'reason: Tested Out'])
  expect(
    sentence({
      verb: `${video}seeked`,
      result: { extensions: { [`${film}time-from`]: 65, [`${film}time-to`]: 3725 } },
    }),
  ).toBe('Ada Okafor moved within “Reading a plate”, from 1:05 to 1:02:05')
  expect(
    words({ verb: `${video}paused`, result: { extensions: { [`${film}time`]: 9.9, [`${film}progress`]: 0.25 } } })
      .details,
  ).toEqual(['watched 25%', 'at 0:09'])
  expect(words({ result: { extensions: { [`${cmi5}progress`]: '40', [`${film}time`]: null } } }).details).toEqual([])
})

test('answers are shown with the texts of the chosen options', () => {
  const said = (interactionType: string, response: string, lists: object = {}) =>
    words({
      verb: `${adl}answered`,
      object: {
        id: 'https://example.org/q/1',
        definition: { interactionType, description: { en: 'Which?' }, ...lists },
      },
      result: { response, success: true },
    })
  const list = [
    { id: 'a', description: { en: '10 mg' } },
    { id: 'b', description: { en: '20 mg' } },
  ]
  expect(said('choice', 'a[,]b', { choices: list })).toMatchObject({
    object: 'Which?',
    details: ['answer: 10 mg, 20 mg', 'right'],
  })
  expect(said('sequencing', 'b[,]a', { choices: list }).details[0]).toBe('answer: 20 mg, then 10 mg')
  expect(said('likert', 'b', { scale: list }).details[0]).toBe('answer: 20 mg')
  expect(said('matching', 'a[.]b[,]x[.]', { source: list, target: list }).details[0]).toBe('answer: 10 mg – 20 mg, x –')
  expect(said('performance', 'a[.]3', { steps: list }).details[0]).toBe('answer: 10 mg: 3')
  expect(said('numeric', '1[:]5').details[0]).toBe('answer: 1 to 5')
  expect(said('fill-in', 'up[,]down').details[0]).toBe('answer: up, down')
  expect(said('true-false', 'false').details[0]).toBe('answer: false')
  expect(said('choice', 'unknown', { choices: list }).details[0]).toBe('answer: unknown')
  expect(words({ verb: `${adl}answered`, result: { response: 'free text', success: false } }).details).toEqual([
    'answer: free text',
    'wrong',
  ])
})

test('people, groups, other statements and unnamed things are named as well as possible', () => {
  const verb = `${adl}experienced`
  const object = (value: object) => words({ verb, object: value }).object
  expect(object({ objectType: 'Agent', mbox: 'mailto:ben@example.org' })).toBe('ben@example.org')
  expect(object({ objectType: 'Group', member: [{ name: 'Ada' }, { name: 'Ben' }] })).toBe('Ada and Ben')
  expect(object({ objectType: 'StatementRef', id: 'e1' })).toBe('the statement e1')
  expect(
    object({ objectType: 'SubStatement', actor: { name: 'Ben' }, verb: { id: `${adl}passed` }, object: plate }),
  ).toBe('“Ben passed “Reading a plate””')
  expect(object({ id: 'https://example.org/units/gel%20two' })).toBe('gel two')
  expect(object({ id: 'https://example.org/u/3', definition: { name: {}, description: { fr: 'Le gel' } } })).toBe(
    'Le gel',
  )
  expect(words({ actor: { name: 'Eve' } }, null).actor).toBe('Eve')
  expect(words({ actor: { objectType: 'Group' } }, null).actor).toBe('Somebody')
})

test('very long texts are cut, and a sentence has one line', () => {
  const long = words({
    object: { id: 'https://example.org/1', definition: { name: { en: `a\n\n b ${'💊'.repeat(5000)}` } } },
  })
  expect([...long.object]).toHaveLength(300)
  expect(long.object.startsWith('a b 💊')).toBe(true)
  expect(long.object.endsWith('…')).toBe(true)
})

test('names and answers cannot turn the rest of a sentence around, nor hold half a character', () => {
  const hostile = words(
    {
      actor: { name: 'Eve \u202e\ud800' },
      object: { id: 'https://example.org/1', definition: { name: { en: 'Gel\u202e' } } },
      result: { response: 'a\u2066b' },
    },
    null,
  )
  expect(hostile.sentence).toBe('Eve \ufffd completed “Gel”, answer: ab')
})

test('an answer of many thousand choices with long descriptions is read no further than it is shown', () => {
  const choices = [{ id: 'a', description: { en: 'long '.repeat(4000) } }]
  const { details } = words({
    object: { id: 'https://example.org/1', definition: { interactionType: 'choice', choices } },
    result: { response: 'a[,]'.repeat(50_000) },
  })
  expect([...(details[0] ?? '')].length).toBeLessThan(320)
})
