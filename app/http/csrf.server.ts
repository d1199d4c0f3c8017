import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Ctx } from '~/services/context.ts'
import { signingKey, verifyingKeys } from '~/services/sites/keys.server.ts'
import type { Exchange } from './exchange.server.ts'

/**
 * Makes a token against forged requests: a salt and an HMAC over the session id or, before sign-in, over a random
 * cookie that only pages with a form set. Each call returns a new token, so that compression reveals nothing about it.
 */
export async function csrfToken(ctx: Ctx, exchange: Exchange): Promise<string> {
  const subject = subjectFor(ctx, ensureSubject(exchange))
  const salt = randomBytes(9).toString('base64url')
  return `${salt}.${signature(await signingKey(ctx.db, 'csrf_key'), salt, subject)}`
}

export async function isCsrfTokenValid(
  ctx: Ctx,
  exchange: Exchange,
  token: string | null | undefined,
): Promise<boolean> {
  const own = subjectOf(exchange)
  const subject = own && subjectFor(ctx, own)
  const [salt, given] = (token ?? '').split('.')
  if (!subject || !salt || !given) return false
  const actual = Buffer.from(given)
  return (await verifyingKeys(ctx.db, 'csrf_key')).some((key) => {
    const expected = Buffer.from(signature(key, salt, subject))
    return actual.length === expected.length && timingSafeEqual(actual, expected)
  })
}

/** A form that an admin opened as somebody else does nothing once the view has ended, and the other way around. */
function subjectFor({ viewAs, viewer }: Ctx, subject: string): string {
  return viewAs && viewer ? `${subject}|as:${viewer.uid}` : subject
}

/** The subject of signatures for this browser. A browser without one gets the random cookie. */
export function ensureSubject(exchange: Exchange): string {
  const subject = subjectOf(exchange)
  if (subject) return subject
  const value = randomBytes(18).toString('base64url')
  exchange.setCookie('form', value, { maxAge: 30 * 86_400 })
  return `form:${value}`
}

/** The session id, ended or not, or else the random cookie. Signing in replaces the one and removes the other. */
export function subjectOf(exchange: Exchange): string | null {
  const session = exchange.cookie('session')
  if (session) return `session:${session}`
  const form = exchange.cookie('form')
  return form ? `form:${form}` : null
}

function signature(key: string, salt: string, subject: string): string {
  return createHmac('sha256', key).update(`${salt}|${subject}`).digest('base64url')
}
