import { createHmac, timingSafeEqual } from 'node:crypto'
import { redirect, replace } from '@remix-run/node'
import type { Notice } from '~/lib/notice.ts'
import type { Ctx } from '~/services/context.ts'
import { signingKey, verifyingKeys } from '~/services/sites/keys.server.ts'
import { contextOf } from './context.server.ts'
import type { Exchange } from './exchange.server.ts'

/**
 * The notice that a redirect passes to the next page in a short-lived cookie. It is signed over the session, so that
 * nobody can make a browser show a sentence or offer an undo that is not ours.
 */
type NoticeInput = Omit<Notice, 'id'>

const seconds = 60
/** A cookie holds about 4 KB; our sentences are far shorter. */
const longest = 500

export async function redirectWithNotice(
  args: { context: { exchange: Exchange } },
  to: string,
  notice: NoticeInput,
  { isReplacing = false } = {},
): Promise<Response> {
  const { exchange } = args.context
  const ctx = await contextOf(exchange)
  const body: Notice = { ...notice, id: exchange.requestId, text: [...notice.text].slice(0, longest).join('') }
  const payload = Buffer.from(JSON.stringify(body)).toString('base64url')
  const key = await signingKey(ctx.db, 'csrf_key')
  exchange.setCookie('flash', `${payload}.${signature(key, exchange, payload)}`, { maxAge: seconds })
  return isReplacing ? replace(to) : redirect(to)
}

/** Returns the notice and removes it, so that the next page does not show it again. */
export async function takeNotice(ctx: Ctx, exchange: Exchange): Promise<Notice | null> {
  const value = exchange.cookie('flash')
  if (!value) return null
  exchange.clearCookie('flash')
  const [payload = '', given = ''] = value.split('.')
  const actual = Buffer.from(given)
  const isOurs = (await verifyingKeys(ctx.db, 'csrf_key')).some((key) => {
    const expected = Buffer.from(signature(key, exchange, payload))
    return actual.length === expected.length && timingSafeEqual(actual, expected)
  })
  if (!isOurs) return null
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Notice
}

function signature(key: string, exchange: Exchange, payload: string): string {
  const subject = `flash|${exchange.cookie('session') ?? ''}|${payload}`
  return createHmac('sha256', key).update(subject).digest('base64url')
}
