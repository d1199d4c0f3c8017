import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { storage } from '~/services/storage/storage.server.ts'
import { aModule, launchAndFetch, statementOf } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { ownStorage } from '../support/uploads.ts'
import { type Answered, aKey, aStore, type Sent } from '../support/xapi.ts'
import { anAttachment, aPart, mixed, partsOf, type SentPart, sha2 } from '../support/xapi-parts.ts'

ownStorage()
const { db, ctx, send, auth } = await aStore()

const aStatement = (attachments?: object[], more: object = {}) => ({
  id: randomUUID(),
  actor: { mbox: 'mailto:a@example.org' },
  verb: { id: 'https://verbs.example/wrote' },
  object: { id: 'https://activities.example/x' },
  ...(attachments && { attachments }),
  ...more,
})
const text = () => `An essay about ${randomUUID()}`
const post = (sent: Sent) => send('POST', '/xapi/statements', { auth, ...sent })
const get = (params: Record<string, string>, key = auth) => send('GET', '/xapi/statements', { auth: key, params })
const hashIn = (headers: string) => /^X-Experience-API-Hash: (\S+)$/m.exec(headers)?.[1]

async function keysOf(...bytes: (Buffer | string)[]): Promise<string[]> {
  const sums = bytes.map((one) => sha2(one))
  const rows = await db.selectFrom('xapi_attachments').select('storage_key as key').where('sha2', 'in', sums).execute()
  return rows.map(({ key }) => key)
}
async function storedCount(): Promise<number> {
  let count = 0
  for await (const _ of storage().list('xapi/')) count++
  return count
}

test('1.5.2 statements and their attachments are received and answered in parts, byte for byte', async () => {
  const bytes = randomBytes(70_000)
  const statement = aStatement([anAttachment(bytes, { contentType: 'image/png' })])
  expect((await post(mixed(statement, [aPart(bytes, { 'Content-Type': 'image/png' })]))).json).toEqual([statement.id])
  const answer = await get({ statementId: statement.id, attachments: 'true' })
  expect([answer.status, answer.headers['content-length']]).toEqual([200, String(answer.bytes.length)])
  const [first, second, ...others] = partsOf(answer)
  expect(first?.headers).toBe('Content-Type: application/json')
  expect(JSON.parse(String(first?.body))).toMatchObject({ id: statement.id, attachments: statement.attachments })
  expect(second?.headers.split('\r\n')).toEqual([
    'Content-Type: image/png',
    'Content-Transfer-Encoding: binary',
    `X-Experience-API-Hash: ${sha2(bytes)}`,
  ])
  expect(second?.body.equals(bytes)).toBe(true)
  expect(others).toEqual([])
  const plain = await get({ statementId: statement.id, attachments: 'false' })
  expect([plain.headers['content-type'], plain.json]).toEqual([
    'application/json',
    expect.objectContaining({ id: statement.id }),
  ])
  const head = await send('HEAD', '/xapi/statements', {
    auth,
    params: { statementId: statement.id, attachments: 'true' },
  })
  expect([head.status, head.bytes.length]).toEqual([200, 0])
  expect(head.headers['content-type']).toMatch(/^multipart\/mixed; boundary=/)
})

test.each(['sha224', 'sha256', 'sha384', 'sha512'])(
  '2.4.11 sha2 may be %s, in upper or lower case',
  async (algorithm) => {
    const bytes = text()
    const sum = sha2(bytes, algorithm)
    const statement = aStatement([anAttachment(bytes, { sha2: sum.toUpperCase() })])
    expect((await post(mixed(statement, [aPart(bytes, { 'X-Experience-API-Hash': sum })]))).status).toBe(200)
    const [, part] = partsOf(await get({ statementId: statement.id, attachments: 'true' }))
    expect(String(part?.body)).toBe(bytes)
  },
)

test('2.1.1 PUT accepts parts too, also in 2.0', async () => {
  for (const version of ['1.0.3', '2.0.0']) {
    const bytes = text()
    const { id, ...statement } = aStatement([anAttachment(bytes)])
    const options = { auth, version, params: { statementId: id }, ...mixed(statement, [aPart(bytes)]) }
    expect((await send('PUT', '/xapi/statements', options)).status).toBe(204)
    expect(partsOf(await get({ statementId: id, attachments: 'true' }))).toHaveLength(2)
  }
})

test('1.5.2 one part serves many references, and is stored and answered once', async () => {
  const bytes = text()
  const batch = [
    aStatement([anAttachment(bytes), anAttachment(bytes, { display: { en: 'Again' } })]),
    aStatement([anAttachment(bytes)], { context: { registration: randomUUID() } }),
  ]
  expect((await post(mixed(batch, [aPart(bytes)]))).status).toBe(200)
  const again = aStatement([anAttachment(bytes)])
  expect((await post(mixed(again, [aPart(bytes), aPart(bytes)]))).status).toBe(200)
  const keys = await keysOf(bytes)
  expect(keys).toHaveLength(1)
  expect(await storage().stat(keys[0] as string)).toEqual({ size: bytes.length })
  const answer = await get({ limit: '3', attachments: 'true' })
  const parts = partsOf(answer)
  expect(JSON.parse(String(parts[0]?.body)).statements).toHaveLength(3)
  expect(parts.slice(1).map(({ headers }) => hashIn(headers))).toEqual([sha2(bytes)])
})

test('1.5.2 a part may belong to the attachment of a SubStatement', async () => {
  const bytes = text()
  const object = {
    objectType: 'SubStatement',
    actor: { mbox: 'mailto:b@example.org' },
    verb: { id: 'https://verbs.example/plans' },
    object: { id: 'https://activities.example/y' },
    attachments: [anAttachment(bytes)],
  }
  const statement = aStatement(undefined, { object })
  expect((await post(mixed(statement, []))).status).toBe(400)
  expect((await post(mixed(statement, [aPart(bytes)]))).status).toBe(200)
  expect(partsOf(await get({ statementId: statement.id, attachments: 'true' }))).toHaveLength(2)
})

test('1.5.2 multipart without attachments, and with a fileUrl only, is accepted', async () => {
  const far = anAttachment('far away', { fileUrl: 'https://files.example/far' })
  for (const statement of [aStatement(), aStatement([far])]) {
    expect((await post(mixed(statement, []))).status).toBe(200)
    const parts = partsOf(await get({ statementId: statement.id, attachments: 'true' }))
    expect(parts).toHaveLength(1)
  }
  expect((await post({ body: aStatement([far]) })).status).toBe(200)
})

test('2.5 further pages of a list also have attachments', async () => {
  const registration = randomUUID()
  const essays = [text(), text(), text()]
  const batch = essays.map((essay) => aStatement([anAttachment(essay)], { context: { registration } }))
  await post(
    mixed(
      batch,
      essays.map((essay) => aPart(essay)),
    ),
  )
  const seen: string[] = []
  let answer: Answered = await get({ registration, limit: '1', ascending: 'true', attachments: 'true' })
  for (;;) {
    const [first, ...parts] = partsOf(answer)
    seen.push(...parts.map(({ body }) => String(body)))
    const { more } = JSON.parse(String(first?.body))
    if (!more) break
    answer = await send('GET', more, { auth })
  }
  expect(seen).toEqual(essays)
})

test('1.5.2 knowing a hash does not give access to its attachment, and other sites have none of it', async () => {
  const bytes = text()
  await post(mixed(aStatement([anAttachment(bytes)]), [aPart(bytes)]))
  const guess = aStatement([anAttachment(bytes, { fileUrl: 'https://files.example/x' })])
  expect((await post({ body: guess })).status).toBe(200)
  expect(partsOf(await get({ statementId: guess.id, attachments: 'true' }))).toHaveLength(1)
  expect((await post({ body: aStatement([anAttachment(bytes)]) })).status).toBe(400)
  const other = await aKey(await aContext(db, { site: 'ns' }))
  const mine = aStatement([anAttachment(bytes)])
  await send('POST', '/xapi/statements', { auth: other, ...mixed(mine, [aPart(bytes)]) })
  expect((await get({ statementId: mine.id, attachments: 'true' })).status).toBe(404)
  expect(partsOf(await get({ statementId: mine.id, attachments: 'true' }, other))).toHaveLength(2)
  expect(new Set(await keysOf(bytes)).size).toBe(2)
})

const essay = 'here is an essay'
const good = () => aStatement([anAttachment(essay)])
const whole = (statement: object = good(), parts: SentPart[] = [aPart(essay)]) => mixed(statement, parts)
const cut = (sent: Sent, change: (body: string) => string): Sent => ({
  ...sent,
  body: Buffer.from(change(String(sent.body))),
})

test.each<[string, () => Sent]>([
  ['form-data', () => ({ ...whole(), headers: { 'content-type': 'multipart/form-data; boundary=limit-0' } })],
  ['no boundary in the header', () => ({ ...whole(), headers: { 'content-type': 'multipart/mixed;' } })],
  [
    'another boundary in the header',
    () => ({ ...whole(), headers: { 'content-type': 'multipart/mixed; boundary=x' } }),
  ],
  ['no boundary before the statements', () => cut(whole(), (body) => body.slice('--limit-0\r\n'.length))],
  [
    'no boundary between the parts',
    () => cut(whole(), (body) => body.replace('\r\n--limit-0\r\nContent-Type: text', '\r\nContent-Type: text')),
  ],
  ['no boundary at the end', () => cut(whole(), (body) => body.replace('--limit-0--\r\n', ''))],
  ['an empty body', () => cut(whole(), () => '')],
  ['a first part that is not JSON by its type', () => mixed(good(), [aPart(essay)], { first: 'text/plain' })],
  ['a first part without a type', () => cut(whole(), (body) => body.replace('Content-Type: application/json\r\n', ''))],
  [
    'statements in two parts',
    () => whole(good(), [{ headers: { 'Content-Type': 'application/json' }, body: '{}' }, aPart(essay)]),
  ],
  ['a part without a hash', () => whole(good(), [aPart(essay, { 'X-Experience-API-Hash': undefined })])],
  ['a part with the hash of no attachment', () => whole(good(), [aPart(essay), aPart('another')])],
  ['a part with an invalid hash', () => whole(good(), [aPart(essay, { 'X-Experience-API-Hash': 'x' })])],
  ['bytes that do not match the hash', () => whole(good(), [{ ...aPart(essay), body: 'here is an essaY' }])],
  ['a part in base64', () => whole(good(), [aPart(essay, { 'Content-Transfer-Encoding': 'base64' })])],
  ['a part without an encoding', () => whole(good(), [aPart(essay, { 'Content-Transfer-Encoding': undefined })])],
  ['a part of another type', () => whole(good(), [aPart(essay, { 'Content-Type': 'image/png' })])],
  ['a part with a wrong length of its own', () => whole(good(), [aPart(essay, { 'Content-Length': '3' })])],
  [
    'a part with a header twice',
    () => cut(whole(), (body) => body.replace('Content-Transfer', 'Content-Type: a/b\r\nContent-Transfer')),
  ],
  ['an invalid header', () => cut(whole(), (body) => body.replace('Content-Transfer-Encoding: binary', 'binary'))],
  ['bytes missing', () => whole(good(), [])],
  ['one of two missing', () => whole(aStatement([anAttachment(essay), anAttachment('b')]))],
  ['JSON with an attachment without a fileUrl', () => ({ body: good() })],
  [
    'statements that are not UTF-8',
    () => ({
      ...whole(),
      body: Buffer.concat([
        Buffer.from('--limit-0\r\nContent-Type: application/json\r\n\r\n{"a":"'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"}\r\n--limit-0--\r\n'),
      ]),
    }),
  ],
])('1.5.2 refused and not stored: %s', async (_name, sent) => {
  const before = await storedCount()
  const answer = await post(sent())
  expect([answer.status, answer.json]).toEqual([
    400,
    { error: expect.stringMatching(/^\S.*\.$/), code: expect.any(String) },
  ])
  expect(await storedCount()).toBe(before)
})

test('2.3.1 a batch that is refused for another reason stores no attachments', async () => {
  const bytes = text()
  const stored = aStatement()
  await post({ body: stored })
  const before = await storedCount()
  const other = { ...stored, verb: { id: 'https://verbs.example/denied' } }
  expect((await post(mixed([aStatement([anAttachment(bytes)]), other], [aPart(bytes)]))).status).toBe(409)
  expect(await storedCount()).toBe(before)
  expect(await keysOf(bytes)).toEqual([])
})

test('ten equal requests at once store an attachment once', async () => {
  const bytes = text()
  const statement = aStatement([anAttachment(bytes)])
  const before = await storedCount()
  const answers = await Promise.all(Array.from({ length: 10 }, () => post(mixed(statement, [aPart(bytes)]))))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(await storedCount()).toBe(before + 1)
  expect(partsOf(await get({ statementId: statement.id, attachments: 'true' }))).toHaveLength(2)
})

test('fifty thousand references to one part, and a thousand copies of it, are handled quickly', async () => {
  const bytes = text()
  const statement = aStatement(Array.from({ length: 50_000 }, () => anAttachment(bytes, { display: {} })))
  const copies = Array.from({ length: 1000 }, () => aPart(bytes))
  const start = performance.now()
  expect((await post(mixed(statement, copies))).json).toEqual([statement.id])
  expect(performance.now() - start).toBeLessThan(10_000)
  expect(await keysOf(bytes)).toHaveLength(1)
})

test('a read-only key stores no attachment', async () => {
  const before = await storedCount()
  const reader = await aKey(ctx, ['all/read'])
  expect((await send('POST', '/xapi/statements', { auth: reader, ...whole() })).status).toBe(403)
  expect(await storedCount()).toBe(before)
})

test('boundaries may be quoted, follow a preamble, or have blanks after them, but must match completely', async () => {
  const bytes = 'a\r\n--limit\r\n--limit-00\r\nb'
  const statement = aStatement([anAttachment(bytes)])
  const sent = mixed(statement, [aPart(bytes)])
  const body = String(sent.body).replace('--limit-0\r\nContent-Type: text', '--limit-0 \t\r\nContent-Type: text')
  const answer = await post({
    body: Buffer.from(`A preamble.\r\n${body}An epilogue`),
    headers: { 'content-type': 'multipart/mixed; charset=x; boundary="limit-0"' },
  })
  expect(answer.text).toContain(statement.id)
  const [, part] = partsOf(await get({ statementId: statement.id, attachments: 'true' }))
  expect(String(part?.body)).toBe(bytes)
})

test('1.5.2 a unit sends attachments and reads its own, and cannot void with them (cmi5 6.3)', async () => {
  const { versionUid } = await aModule(ctx)
  const learner = await aContext(db, { viewer: await aUser(db) })
  const { session, token } = await launchAndFetch(learner, { moduleVersionUid: versionUid })
  const unit = { auth: `Basic ${token}` }
  const bytes = text()
  const initialized = { ...statementOf(session, 'initialized'), attachments: [anAttachment(bytes)] }
  const stored = await send('POST', '/xapi/statements', { ...unit, ...mixed(initialized, [aPart(bytes)]) })
  expect([stored.status, stored.json]).toEqual([200, [initialized.id]])
  const own = await send('GET', '/xapi/statements', { ...unit, params: { attachments: 'true' } })
  expect(
    partsOf(own)
      .slice(1)
      .map(({ body }) => String(body)),
  ).toEqual([bytes])
  const before = await storedCount()
  const voiding = {
    ...statementOf(session, 'initialized'),
    attachments: [anAttachment('why')],
    verb: { id: 'http://adlnet.gov/expapi/verbs/voided' },
    object: { objectType: 'StatementRef', id: initialized.id },
  }
  expect((await send('POST', '/xapi/statements', { ...unit, ...mixed(voiding, [aPart('why')]) })).status).toBe(403)
  expect(await storedCount()).toBe(before)
})

test('1.3 the alternate syntax carries parts as plain text', async () => {
  const statement = good()
  const fields = {
    Authorization: auth,
    'X-Experience-API-Version': '1.0.3',
    'Content-Type': 'multipart/mixed; boundary=limit-0',
    content: String(whole(statement).body),
  }
  const answer = await send('POST', '/xapi/statements?method=POST', {
    version: null,
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  expect(answer.json).toEqual([statement.id])
})
