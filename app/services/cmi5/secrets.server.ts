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

/** C046: sent unchanged as `Authorization: Basic …`, so it is base64 of `unit:secret` to please generic parsers. */
export function newAuthToken(): string {
  return Buffer.from(`${unitUserName}:${randomBytes(32).toString('base64url')}`).toString('base64')
}

export const unitUserName = 'unit'

export function hashOf(secret: string): Buffer {
  return sha256(secret)
}
