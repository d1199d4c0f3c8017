/** Signs the fields that permit a post to an upload. They are its only permission, because no cookie is read there. */
import { createHmac, timingSafeEqual } from 'node:crypto'

type PostPolicy = { uid: string; kind: string; maxBytes: number; expires: number }
export type SignedFields = { policy: string; signature: string }

export function signPolicy(key: string, policy: PostPolicy): SignedFields {
  const text = Buffer.from(JSON.stringify(policy)).toString('base64url')
  return { policy: text, signature: signatureOf(key, text) }
}

/** Returns null if we did not sign the policy. */
export function readPolicy(key: string, fields: SignedFields): PostPolicy | null {
  const expected = Buffer.from(signatureOf(key, fields.policy))
  const given = Buffer.from(fields.signature)
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) return null
  return JSON.parse(Buffer.from(fields.policy, 'base64url').toString('utf8')) as PostPolicy
}

function signatureOf(key: string, policy: string): string {
  return createHmac('sha256', key).update(`upload|${policy}`).digest('base64url')
}
