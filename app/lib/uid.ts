const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** PostgreSQL refuses a malformed uuid with an error; such an id simply names nothing. */
export function isUid(value: unknown): value is string {
  return typeof value === 'string' && uuid.test(value)
}

/** A user's uid as the links in mails carry it. */
export function encodeUid(uid: string): string {
  return Buffer.from(uid).toString('base64url')
}

/** Null when it is not an encoded uid. */
export function decodeUid(value: string): string | null {
  const uid = Buffer.from(value, 'base64url').toString('utf8')
  return isUid(uid) ? uid : null
}
