import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { CompactSign } from 'jose'
import { expect, test } from 'vitest'
import { Invalid } from '~/services/errors.ts'
import { matchParts } from '~/services/xapi/attachment-rules.ts'
import { checkSignature } from '~/services/xapi/signatures.ts'
import type { Statement } from '~/services/xapi/types.ts'
import { parseStatements } from '~/services/xapi/validate.ts'
import { issueCertificate } from '../support/certificates.ts'
import { anAttachment } from '../support/xapi-parts.ts'

/**
 * xAPI 1.0.3 data 2.6, with the same words in 2.0, through the whole transport: attachments of tests/xapi/attachments.
 */
const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const { privateKey, publicKey } = rsa()
const root = rsa()
const leaf = issueCertificate({ name: 'Signer', publicKey, issuer: 'Root', issuerKey: root.privateKey })
const authority = issueCertificate({
  name: 'Root',
  publicKey: root.publicKey,
  issuer: 'Root',
  issuerKey: root.privateKey,
})
const stranger = issueCertificate({
  name: 'Other',
  publicKey: rsa().publicKey,
  issuer: 'Root',
  issuerKey: root.privateKey,
})

const base = () => ({
  id: randomUUID(),
  actor: { mbox: 'mailto:signer@example.org', name: 'Ada' },
  verb: { id: 'https://verbs.example/passed', display: { en: 'passed' } },
  object: { id: 'https://activities.example/exam' },
  result: { score: { scaled: 0.9 }, duration: 'PT60S' },
})

type Signing = { alg?: string; key?: KeyObject; header?: object; payload?: unknown }
async function sign(statement: object, { alg = 'RS256', key = privateKey, header, payload }: Signing = {}) {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload ?? statement)
  return new CompactSign(Buffer.from(text)).setProtectedHeader({ alg, ...header }).sign(key)
}

const signature = (jws: string | Buffer, more: object = {}) =>
  anAttachment(jws, {
    usageType: 'http://adlnet.gov/expapi/attachments/signature',
    contentType: 'application/octet-stream',
    ...more,
  })

/** Returns the message of a refused request with this statement and these bytes, or nothing. */
async function verdict(
  statement: object,
  files: (string | Buffer)[],
  version: '1.0.3' | '2.0.0' = '1.0.3',
): Promise<string | null> {
  const [parsed] = parseStatements(structuredClone(statement), version) as [Statement]
  const parts = files.map((bytes) => ({ sha2: anAttachment(bytes).sha2, contentType: null, bytes: Buffer.from(bytes) }))
  try {
    await checkSignature(parsed, matchParts([parsed], parts), version)
    return null
  } catch (error) {
    if (error instanceof Invalid) return error.message
    throw error
  }
}

const signed = (statement: object, jws: string, more: object = {}) => ({
  ...statement,
  attachments: [signature(jws, more)],
})

test.each(['RS256', 'RS384', 'RS512'])('2.6 %s, with and without certificates', async (alg) => {
  for (const header of [{}, { x5c: [leaf] }, { x5c: [leaf, authority] }]) {
    const statement = base()
    const jws = await sign(statement, { alg, header })
    expect(await verdict(signed(statement, jws), [jws])).toBeNull()
    expect(await verdict(signed(statement, jws), [jws], '2.0.0')).toBeNull()
  }
})

test('2.6 values that a store or library adds, or that comparison ignores, may differ', async () => {
  const statement = base()
  const { id: _id, ...nameless } = statement
  const jws = await sign({ ...nameless, version: '1.0.0', verb: { id: statement.verb.id } })
  const sent = {
    ...statement,
    timestamp: '2026-01-31T12:00:00Z',
    result: { ...statement.result, duration: 'PT60.001S' },
  }
  expect(await verdict(signed(sent, jws), [jws])).toBeNull()
})

test('2.6 the other attachments are part of the signed statement', async () => {
  const essay = anAttachment('an essay')
  const statement = { ...base(), attachments: [essay] }
  const jws = await sign(statement)
  const sent = { ...statement, attachments: [essay, signature(jws)] }
  expect(await verdict(sent, ['an essay', jws])).toBeNull()
  expect(await verdict(signed(statement, jws), [jws])).toMatch(/differs from the statement that was sent/)
})

const hmac = async (statement: object) =>
  new CompactSign(Buffer.from(JSON.stringify(statement)))
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from('a secret of at least 32 bytes, as it must be'))

test.each<[string, (statement: object) => Promise<[object, (string | Buffer)[]]>, RegExp]>([
  [
    'another contentType',
    async (one) => {
      const jws = await sign(one)
      return [signed(one, jws, { contentType: 'text/plain; charset=ascii' }), [jws]]
    },
    /contentType/,
  ],
  [
    'HS256',
    async (one) => {
      const jws = await hmac(one)
      return [signed(one, jws), [jws]]
    },
    /RS256, RS384 or RS512/,
  ],
  [
    'PS256',
    async (one) => {
      const jws = await sign(one, { alg: 'PS256' })
      return [signed(one, jws), [jws]]
    },
    /RS256, RS384 or RS512/,
  ],
  [
    'none',
    async (one) => {
      const jws = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(one)).toString('base64url')}.AA`
      return [signed(one, jws), [jws]]
    },
    /RS256/,
  ],
  ['no JWS at all', async (one) => [signed(one, 'signed: me'), ['signed: me']], /compact/],
  [
    'an empty signature',
    async (one) => {
      const jws = `${(await sign(one)).split('.').slice(0, 2).join('.')}.`
      return [signed(one, jws), [jws]]
    },
    /compact/,
  ],
  [
    'JSON serialization',
    async (one) => {
      const jws = JSON.stringify({ payload: 'e30', signatures: [] })
      return [signed(one, jws), [jws]]
    },
    /compact/,
  ],
  [
    'a header that is not JSON',
    async (one) => {
      const jws = `bm8.${Buffer.from(JSON.stringify(one)).toString('base64url')}.AA`
      return [signed(one, jws), [jws]]
    },
    /header/,
  ],
  [
    'a payload that is not JSON',
    async (one) => {
      const jws = await sign(one, { payload: JSON.stringify(one).replace('"', "'") })
      return [signed(one, jws), [jws]]
    },
    /not JSON/,
  ],
  [
    'a payload that is no statement',
    async (one) => {
      const jws = await sign(one, { payload: { a: 1 } })
      return [signed(one, jws), [jws]]
    },
    /not a statement: /,
  ],
  [
    'a payload that is a list',
    async (one) => {
      const jws = await sign(one, { payload: [one] })
      return [signed(one, jws), [jws]]
    },
    /one statement/,
  ],
  [
    'another actor',
    async (one) => {
      const jws = await sign({ ...one, actor: { mbox: 'mailto:b@example.org' } })
      return [signed(one, jws), [jws]]
    },
    /differs from the statement/,
  ],
  [
    'another score',
    async (one) => {
      const jws = await sign({ ...one, result: { score: { scaled: 1 } } })
      return [signed(one, jws), [jws]]
    },
    /differs from the statement/,
  ],
  [
    'another id',
    async (one) => {
      const jws = await sign({ ...one, id: randomUUID() })
      return [signed(one, jws), [jws]]
    },
    /differs from the statement/,
  ],
  [
    'another timestamp',
    async (one) => {
      const timed = { ...one, timestamp: '2026-01-31T12:00:00Z' }
      const jws = await sign({ ...timed, timestamp: '2026-01-31T12:00:01Z' })
      return [signed(timed, jws), [jws]]
    },
    /differs from the statement/,
  ],
  [
    'two signatures',
    async (one) => {
      const [a, b] = [await sign(one), await sign(one, { alg: 'RS512' })]
      return [{ ...one, attachments: [signature(a), signature(b)] }, [a, b]]
    },
    /one signature/,
  ],
  [
    'bytes at a fileUrl only',
    async (one) => {
      const jws = await sign(one)
      return [signed(one, jws, { fileUrl: 'https://files.example/jws' }), []]
    },
    /come with its bytes/,
  ],
  [
    'the certificate of another key',
    async (one) => {
      const jws = await sign(one, { header: { x5c: [stranger] } })
      return [signed(one, jws), [jws]]
    },
    /does not match/,
  ],
  [
    'a broken signature under a certificate',
    async (one) => {
      const jws = (await sign(one, { header: { x5c: [leaf] } })).replace(/.{8}$/, 'AAAAAAAA')
      return [signed(one, jws), [jws]]
    },
    /does not match/,
  ],
  [
    'a chain in the wrong order',
    async (one) => {
      const jws = await sign(one, { header: { x5c: [leaf, stranger] } })
      return [signed(one, jws), [jws]]
    },
    /not issued/,
  ],
  [
    'x5c that is no certificate',
    async (one) => {
      const jws = await sign(one, { header: { x5c: ['AAAA'] } })
      return [signed(one, jws), [jws]]
    },
    /x5c/,
  ],
  [
    'x5c that is empty',
    async (one) => {
      const jws = await sign(one, { header: { x5c: [] } })
      return [signed(one, jws), [jws]]
    },
    /x5c/,
  ],
])('2.6 refused: %s', async (_name, make, sentence) => {
  const [statement, files] = await make(base())
  const said = await verdict(statement, files)
  expect(said).toMatch(sentence)
  expect(said).toMatch(/\(xAPI 2\.6\)\.$/)
})
