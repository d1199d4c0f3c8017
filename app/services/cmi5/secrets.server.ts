import { createHmac, randomBytes } from 'node:crypto'
import type { Database } from '~db/client.server.ts'
import { signingKey, verifyingKeys } from '../sites/keys.server.ts'
import { getInstallationValue } from '../sites/sites.server.ts'
import { sha256 } from '../xapi/xapi.server.ts'

/*
 * Computes the secret in a fetch address from the session, so that the viewer can show the launch address again after a
 * reload. The database stores only hashes.
 */
export async function fetchSecretOf(db: Database, sessionUid: string): Promise<string> {
  return fetchSecretBy(await signingKey(db, 'token_key'), sessionUid)
}

/** Returns the secret of a session that may have been launched before the keys were replaced. */
export async function fetchSecretAgain(db: Database, session: { uid: string; fetchHash: Buffer }): Promise<string> {
  const secrets = (await verifyingKeys(db, 'token_key')).map((key) => fetchSecretBy(key, session.uid))
  return secrets.find((secret) => hashOf(secret).equals(session.fetchHash)) ?? secrets[0] ?? ''
}

function fetchSecretBy(key: string, sessionUid: string): string {
  return createHmac('sha256', `fetch|${key}`).update(sessionUid).digest('base64url')
}

/**
 * Units send the token unchanged as `Authorization: Basic …` (cmi5 8.2.1). It is base64 of `unit:secret`, because
 * generic parsers expect that form.
 */
export function newAuthToken(): string {
  return Buffer.from(`${unitUserName}:${randomBytes(32).toString('base64url')}`).toString('base64')
}

export const unitUserName = 'unit'

export function hashOf(secret: string): Buffer {
  return sha256(secret)
}

/**
 * Computes the id of the statement that voids another one. It is always the same, and nobody else can predict it and
 * store another statement under it first.
 */
export async function voidingIdOf(db: Database, target: { siteUid: string; statementId: string }): Promise<string> {
  const key = await getInstallationValue(db, 'void_key')
  const bytes = createHmac('sha256', `void|${key}`).update(`${target.siteUid}|${target.statementId}`).digest()
  // Marks it as a random UUID (RFC 4122): version 4, variant 2.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
