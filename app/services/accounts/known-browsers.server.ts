/**
 * Known browsers: those in which somebody has signed in to an account before. Their attempts are counted on their own,
 * so that wrong passwords from elsewhere, even from the same network, do not make the owner wait.
 *
 * A browser keeps a mark for each account in one cookie. A mark is a random number and its HMAC with the account's
 * address: only together with that address can we, and nobody else, tell which account it is for.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { signingKey, verifyingKeys } from '../sites/keys.server.ts'

/** More people than that share a browser only where nobody keeps cookies. The oldest mark goes first. */
const mostMarks = 5
const numberLength = 16
const markPattern = /^[\w-]{48}$/

/** Returns the random number of this browser's mark for the account; null for a browser that is not known to it. */
export async function findKnownBrowser(ctx: Ctx, subject: string): Promise<string | null> {
  const keys = await verifyingKeys(ctx.db, 'token_key')
  const own = marksOf(ctx).find((mark) =>
    keys.some((key) => {
      const expected = signatureOf(ctx, key, { subject, number: mark.slice(0, numberLength) })
      return timingSafeEqual(Buffer.from(expected), Buffer.from(mark.slice(numberLength)))
    }),
  )
  return own?.slice(0, numberLength) ?? null
}

/** Marks this browser, after the password or a mailed link has proved that its user owns the account. */
export async function rememberBrowser(ctx: Ctx, subject: string): Promise<void> {
  const { browser } = ctx.session
  if (!browser) return
  const known = await findKnownBrowser(ctx, subject)
  const number = known ?? randomBytes(12).toString('base64url')
  const others = marksOf(ctx).filter((mark) => mark.slice(0, numberLength) !== known)
  const signature = signatureOf(ctx, await signingKey(ctx.db, 'token_key'), { subject, number })
  const marks = [number + signature, ...others]
  browser.remember(marks.slice(0, mostMarks).join('.'))
}

function marksOf(ctx: Ctx): string[] {
  const marks = (ctx.session.browser?.marks ?? '').split('.')
  return marks.filter((mark) => markPattern.test(mark)).slice(0, mostMarks)
}

function signatureOf(ctx: Ctx, key: string, mark: { subject: string; number: string }): string {
  const text = `browser|${ctx.site.id}|${mark.number}|${mark.subject}`
  return createHmac('sha256', key).update(text).digest('base64url').slice(0, 32)
}
