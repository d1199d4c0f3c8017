import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { storage } from '~/services/storage/storage.server.ts'
import { aModule, launchAndFetch, send as sendAsUnit, statementOf } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { rounds } from '../support/long.ts'
import { ownStorage } from '../support/uploads.ts'
import { type Answered, aStore, type Send } from '../support/xapi.ts'
import { anAttachment, aPart, mixed } from '../support/xapi-parts.ts'

/** Any HTTP request is stored or refused with a message: never an internal error, never a part of it. */
ownStorage()
const seed = 20261121
const { db, ctx, send, auth } = await aStore()

const agent = { mbox: 'mailto:a@example.org' }
const aStatement = (more: object = {}) => ({
  id: randomUUID(),
  actor: agent,
  verb: { id: 'https://verbs.example/did' },
  object: { id: 'https://activities.example/x' },
  ...more,
})

function expectCalm({ status, text }: Answered): void {
  expect({ status, text: status < 500 ? '' : text }).toEqual({ status, text: '' })
  if (status >= 400) expect(JSON.parse(text)).toMatchObject({ error: expect.stringMatching(/^\S[\s\S]*\.$/) })
}

async function storedFiles(): Promise<number> {
  let count = 0
  for await (const _ of storage().list('xapi/')) count++
  return count
}

/** Each request is answered quickly. */
const ask: Send = async (...request) => {
  const startedAt = performance.now()
  const answer = await send(...request)
  expect(performance.now() - startedAt).toBeLessThan(5000)
  return answer
}

const versions = fc.constantFrom('1.0.3', '2.0.0')
const pieces = [
  '\r\n',
  '--',
  '--limit-0',
  '\r\n--limit-0\r\n',
  '--limit-0--',
  ': ',
  '\0',
  '{',
  '"',
  'Content-Type: application/json',
]
type Change = { at: number; cut: number; put: string }
function changed(body: Buffer, changes: Change[]): Buffer {
  return changes.reduce<Buffer>((before, { at, cut, put }) => {
    const start = at % (before.length + 1)
    return Buffer.concat([before.subarray(0, start), Buffer.from(put, 'latin1'), before.subarray(start + cut)])
  }, body)
}

const change = fc.record({
  at: fc.nat(),
  cut: fc.nat(60),
  put: fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 20 })),
})

test('multipart bodies with pieces removed and inserted', async () => {
  const attempt = async (changes: Change[], declared: string, version: string) => {
    const essay = `an essay ${randomUUID()}`
    const statement = aStatement({ attachments: [anAttachment(essay)] })
    const body = changed(mixed(statement, [aPart(essay)]).body as Buffer, changes)
    const before = await storedFiles()
    const answer = await ask('POST', '/xapi/statements', { auth, version, body, headers: { 'content-type': declared } })
    expectCalm(answer)
    if (answer.status !== 200) expect(await storedFiles()).toBe(before)
  }
  const types = fc.constantFrom(
    'multipart/mixed; boundary=limit-0',
    'multipart/mixed; boundary="limit-0"',
    'multipart/mixed; boundary=-',
  )
  await fc.assert(fc.asyncProperty(fc.array(change, { maxLength: 3 }), types, versions, attempt), {
    seed,
    numRuns: rounds(300),
  })
})

test('statements with pieces removed and inserted, from keys and from units', async () => {
  const module = await aModule(ctx)
  const learner = await aContext(db, { viewer: await aUser(db) })
  const { session, token } = await launchAndFetch(learner, { moduleVersionUid: module.versionUid })
  await sendAsUnit(learner, session, statementOf(session, 'initialized'))
  const unit = `Basic ${token}`
  const counts = new Map<number, number>()
  const attempt = async (changes: Change[], isUnit: boolean, isBatch: boolean, version: string) => {
    const statement = isUnit
      ? statementOf(session, 'experienced', { progress: 10 })
      : aStatement({ timestamp: '2026-01-31T12:00:00Z' })
    const body = changed(Buffer.from(JSON.stringify(isBatch ? [statement] : statement)), changes)
    const answer = await ask('POST', '/xapi/statements', { auth: isUnit ? unit : auth, version, body })
    expectCalm(answer)
    counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1)
  }
  const few = fc.array(change, { maxLength: 2 })
  await fc.assert(fc.asyncProperty(few, fc.boolean(), fc.boolean(), versions, attempt), { seed, numRuns: rounds(1500) })
  expect(counts.get(200)).toBeGreaterThan(rounds(300))
  expect(counts.get(400)).toBeGreaterThan(rounds(300))
})

const header = fc.constantFrom(
  '{"alg":"RS256"}',
  '{"alg":"RS256","x5c":["AAAA"]}',
  '{"alg":"RS256","x5c":{}}',
  '{"alg":1}',
  '{"alg":"RS256","b64":false,"crit":["b64"]}',
  'null',
  '[]',
  '',
)
test('signatures of any bytes', async () => {
  const attempt = async (head: string, payload: unknown, sign: string, isWhole: boolean) => {
    const encode = (text: string) => Buffer.from(text).toString('base64url')
    const jws = isWhole ? `${encode(head)}.${encode(JSON.stringify(payload) ?? '')}.${encode(sign)}` : sign
    const signature = anAttachment(jws, {
      usageType: 'http://adlnet.gov/expapi/attachments/signature',
      contentType: 'application/octet-stream',
    })
    const part = aPart(jws, { 'Content-Type': 'application/octet-stream' })
    expectCalm(
      await ask('POST', '/xapi/statements', { auth, ...mixed(aStatement({ attachments: [signature] }), [part]) }),
    )
  }
  const payloads = fc.oneof(fc.jsonValue(), fc.constant(aStatement()))
  await fc.assert(fc.asyncProperty(header, payloads, fc.string(), fc.boolean(), attempt), {
    seed,
    numRuns: rounds(150),
  })
})

const names = [
  'statementId',
  'voidedStatementId',
  'agent',
  'verb',
  'activity',
  'registration',
  'since',
  'until',
  'limit',
  'format',
  'attachments',
  'ascending',
  'activityId',
  'stateId',
  'profileId',
  'method',
  '__proto__',
  '',
]
const values = fc.oneof(
  fc.constantFrom(
    JSON.stringify(agent),
    '{"mbox":"mailto:\\u0000@x"}',
    '{"objectType":"Group","member":[]}',
    randomUUID(),
    'https://activities.example/x',
    'x:\u0000',
    'true',
    '1',
    '999999999',
    '2026-01-31T12:00:00Z',
    '9999-12-31T23:59:59-23:59',
    'ids',
    '\ud800',
  ),
  fc.string({ unit: 'binary' }),
)
const resources = [
  'statements',
  'statements/more/x.y',
  'activities',
  'agents',
  'activities/state',
  'activities/profile',
  'agents/profile',
  'about',
  '%2e%2e',
  '%00',
  'statements/more/%ff',
]
test('parameters, methods and addresses of any kind', async () => {
  const attempt = async (method: string, resource: string, params: [string, string][], version: string) => {
    const query = new URLSearchParams(params)
    const sent = method === 'GET' ? {} : { body: { a: 1 } }
    expectCalm(await ask(method, `/xapi/${resource}?${query}`, { auth, version, ...sent }))
  }
  const methods = fc.constantFrom('GET', 'GET', 'PUT', 'POST', 'DELETE')
  const params = fc.array(fc.tuple(fc.constantFrom(...names), values), { maxLength: 4 })
  await fc.assert(fc.asyncProperty(methods, fc.constantFrom(...resources), params, versions, attempt), {
    seed,
    numRuns: rounds(600),
  })
})

const visible = fc.string({ unit: fc.constantFrom(...'aZ0"*,;=/:.- \\'), maxLength: 30 })
test('headers of any kind', async () => {
  const attempt = async (method: string, headers: [string, string][]) => {
    const params = { activityId: 'https://activities.example/x', profileId: 'x' }
    const sent = method === 'GET' ? {} : { body: '{"a":1}' }
    expectCalm(
      await ask(method, '/xapi/activities/profile', {
        auth,
        params,
        ...sent,
        headers: { ...Object.fromEntries(headers), accept: 'application/json' },
      }),
    )
  }
  const header = fc.constantFrom(
    'if-match',
    'if-none-match',
    'content-type',
    'accept-language',
    'x-experience-api-version',
    'authorization',
  )
  const methods = fc.constantFrom('GET', 'PUT', 'POST', 'DELETE')
  await fc.assert(fc.asyncProperty(methods, fc.array(fc.tuple(header, visible), { maxLength: 3 }), attempt), {
    seed,
    numRuns: rounds(400),
  })
})
