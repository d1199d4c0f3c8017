import { createHmac, randomBytes } from 'node:crypto'
import type { Database } from '~db/client.server.ts'
import { getInstallationValue } from '../sites/sites.server.ts'
import { sha256 } from '../xapi/xapi.server.ts'

/*
 * The secret in a fetch address is computed from the session, so that the viewer can show its launch address again
 * after a reload without keeping it; the database holds hashes only.
 */
export async function fetchSecretOf(db: Database, sessionUid: string): Promise<string> {
  const key = await getInstallationValue(db, 'token_key')
  return createHmac('sha256', `fetch|${key}`).update(sessionUid).digest('base64url')
}

/** cmi5 8.2.1: sent unchanged as `Authorization: Basic …`, so it is base64 of `unit:secret` to please generic parsers. */
export function newAuthToken(): string {
  return Buffer.from(`${unitUserName}:${randomBytes(32).toString('base64url')}`).toString('base64')
}

export const unitUserName = 'unit'

export function hashOf(secret: string): Buffer {
  return sha256(secret)
}

/** The id of the statement that voids another one: always the same, and nobody else can store something under it beforehand. */
export async function voidingIdOf(db: Database, target: { siteUid: string; statementId: string }): Promise<string> {
  const key = await getInstallationValue(db, 'token_key')
  const bytes = createHmac('sha256', `void|${key}`).update(`${target.siteUid}|${target.statementId}`).digest()
  // As RFC 4122 has a random one: version 4, variant 2.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
