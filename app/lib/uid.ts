const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** PostgreSQL answers a malformed uuid with an error, so such an id is treated as unknown. */
export function isUid(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value)
}

/** A user's uid in the form that the links in mails use. */
export function encodeUid(uid: string): string {
  return Buffer.from(uid).toString('base64url')
}

/** Null if the value is not an encoded uid. */
export function decodeUid(value: string): string | null {
  const uid = Buffer.from(value, 'base64url').toString('utf8')
  return isUid(uid) ? uid : null
}
