/**
 * Known browsers: those in which somebody has signed in to an account before. Their attempts are counted on their own,
 * so that wrong passwords from elsewhere, even from the same network, do not make the owner wait.
 *
 * A browser keeps a mark for each account in one cookie. A mark is a random number and its HMAC with the account's
 * address: only together with that address can we, and nobody else, tell which account it is for.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { getInstallationValue } from '../sites/sites.server.ts'

/** More people than that share a browser only where nobody keeps cookies. The oldest mark goes first. */
const mostMarks = 5
const numberLength = 16
const markPattern = /^[\w-]{48}$/

/** Returns the random number of this browser's mark for the account; null for a browser that is not known to it. */
export async function findKnownBrowser(ctx: Ctx, subject: string): Promise<string | null> {
  for (const mark of marksOf(ctx)) {
    const number = mark.slice(0, numberLength)
    const expected = Buffer.from(await signatureOf(ctx, subject, number))
    if (timingSafeEqual(expected, Buffer.from(mark.slice(numberLength)))) return number
  }
  return null
}

/** Marks this browser, after the password or a mailed link has proved that its user owns the account. */
export async function rememberBrowser(ctx: Ctx, subject: string): Promise<void> {
  const { browser } = ctx.session
  if (!browser) return
  const known = await findKnownBrowser(ctx, subject)
  const number = known ?? randomBytes(12).toString('base64url')
  const others = marksOf(ctx).filter((mark) => mark.slice(0, numberLength) !== known)
  const marks = [number + (await signatureOf(ctx, subject, number)), ...others]
  browser.remember(marks.slice(0, mostMarks).join('.'))
}

function marksOf(ctx: Ctx): string[] {
  const marks = (ctx.session.browser?.marks ?? '').split('.')
  return marks.filter((mark) => markPattern.test(mark)).slice(0, mostMarks)
}

async function signatureOf(ctx: Ctx, subject: string, number: string): Promise<string> {
  const key = await getInstallationValue(ctx.db, 'token_key')
  const text = `browser|${ctx.site.id}|${number}|${subject}`
  return createHmac('sha256', key).update(text).digest('base64url').slice(0, 32)
}
