import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Database } from '~db/client.server.ts'
import { NotFound } from '../errors.ts'
import { signingKey, verifyingKeys } from '../sites/keys.server.ts'

/**
 * The cursors in `more` addresses. They are opaque and signed, so that all pages use the filter of the first one (xAPI
 * 1.0.3 communication 2.1.3).
 */
export async function sealCursor(db: Database, value: object): Promise<string> {
  const body = Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${body}.${signature(await signingKey(db, 'token_key'), body).toString('base64url')}`
}

export async function openCursor<T>(db: Database, cursor: string): Promise<T> {
  const [body = '', seal = ''] = cursor.split('.')
  const given = Buffer.from(seal, 'base64url')
  const isOurs = (await verifyingKeys(db, 'token_key')).some((key) => {
    const expected = signature(key, body)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
  if (!isOurs) {
    throw new NotFound('This address for more statements is not valid.')
  }
  return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as T
}

function signature(key: string, body: string): Buffer {
  return createHmac('sha256', `more|${key}`).update(body).digest().subarray(0, 18)
}
