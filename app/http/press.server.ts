/**
 * Keeps what a person pressed after the session had ended, and does it after signing in again. Only Save buttons are
 * kept: they can be undone with one press, and hold nothing that was typed. The cookie is signed over the ended session
 * or the visitor's random cookie and over its time: signing in removes both, so that a press is done once.
 */

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Notice } from '~/lib/notice.ts'
import type { Ctx } from '~/services/context.ts'
import { ServiceError } from '~/services/errors.ts'
import { setFavorite } from '~/services/favorites/favorites.server.ts'
import { signingKey, verifyingKeys } from '~/services/sites/keys.server.ts'
import { contextOf } from './context.server.ts'
import { ensureSubject, subjectOf } from './csrf.server.ts'
import type { Exchange } from './exchange.server.ts'

/** `from` is the path of the page that the button was on. */
export type Press = { name: string; studyUnitType: string; uid: string; from: string }

const seconds = 10 * 60
/** `1763900000.add.module:{uid}.{page}`: the second in which it ends, what was pressed, and the page. */
const kept = /^(\d{1,12})\.(add|remove)\.(module|course|video|lecture):([0-9a-f-]{36})\.(\/.*)$/

export async function keepPress(ctx: Ctx, exchange: Exchange, form: FormData, page: string): Promise<void> {
  const [name = '', thing] = [...form].find(([name]) => name === 'add' || name === 'remove') ?? []
  const value = `${secondOf(ctx) + seconds}.${name}.${thing}.${page}`
  if (value.length > 1000 || !kept.test(value)) return
  const payload = Buffer.from(value).toString('base64url')
  const key = await signingKey(ctx.db, 'csrf_key')
  const cookie = `${payload}.${signature(key, ensureSubject(exchange), payload)}`
  exchange.setCookie('press', cookie, { maxAge: seconds })
}

/** Returns what this browser pressed, or null. Signing in ends it, so it is read before. */
export async function findKeptPress(ctx: Ctx, exchange: Exchange): Promise<Press | null> {
  const subject = subjectOf(exchange)
  const [payload = '', given = ''] = (exchange.cookie('press') ?? '').split('.')
  if (subject === null || payload === '') return null
  const actual = Buffer.from(given)
  const isOurs = (await verifyingKeys(ctx.db, 'csrf_key')).some((key) => {
    const expected = Buffer.from(signature(key, subject, payload))
    return actual.length === expected.length && timingSafeEqual(actual, expected)
  })
  const match = isOurs ? kept.exec(Buffer.from(payload, 'base64url').toString('utf8')) : null
  if (!match || Number(match[1]) < secondOf(ctx)) return null
  const [, , name = '', studyUnitType = '', uid = '', from = ''] = match
  return { name, studyUnitType, uid, from }
}

/**
 * Does what was kept, if the person who has just signed in goes on to the page on which it was pressed. Returns the
 * notice about it.
 */
export async function doKeptPress(
  exchange: Exchange,
  press: Press | null,
  page: string,
): Promise<Omit<Notice, 'id'> | null> {
  if (exchange.cookie('press') !== null) exchange.clearCookie('press')
  if (press === null || press.from !== page.split('#', 1)[0]) return null
  const { name, studyUnitType, uid } = press
  const isAdded = name === 'add'
  try {
    const action = isAdded ? 'ADD' : 'REMOVE'
    await setFavorite(await contextOf(exchange), { action, studyUnitType: studyUnitType as 'module', uid })
    return { kind: 'success', text: savedText(isAdded) }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { kind: 'error', text: error.message }
  }
}

export function savedText(isAdded: boolean): string {
  return isAdded ? 'Saved. You can find it in My Learning.' : 'Removed from Saved.'
}

function secondOf(ctx: Ctx): number {
  return Math.floor(ctx.now.getTime() / 1000)
}

function signature(key: string, subject: string, payload: string): string {
  return createHmac('sha256', key).update(`press|${subject}|${payload}`).digest('base64url')
}
