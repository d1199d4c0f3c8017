/**
 * Addresses of package files on a content host: `/{content key}/{user uid}/{week}/{signature}/path`. Anyone who has the
 * address may read the package in that week and the next, without a cookie or a database query. Within a week the
 * address is the same for a learner, so that caches work, and so that content that stores data by `location.pathname`
 * finds it again. The signature covers the module of the host, so the path is good on that host only.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

const weekMs = 7 * 24 * 60 * 60 * 1000
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns the prefix under which storage has the files of a package. */
export function contentKeyPrefix(contentKey: string): string {
  return `packages/${contentKey}/`
}

/** The module whose host this is; null on a host that modules share. */
type OnHost = { moduleUid: string | null }

/**
 * Returns the base path for the urls of units. It begins and ends with a slash. `key` is the installation's
 * content_key.
 */
export function contentPath(
  key: string,
  { contentKey, userUid, now, moduleUid }: OnHost & { contentKey: string; userUid: string; now: Date },
): string {
  const week = weekOf(now)
  return `/${contentKey}/${userUid}/${week}/${sign(key, { moduleUid, contentKey, userUid, week })}/`
}

type ContentAddress = { contentKey: string; userUid: string; rest: string }

/**
 * Verifies the path of a request, still encoded. `rest` is what follows the signature. Returns null unless we signed
 * it for this host.
 */
export function verifyContentPath(
  key: string,
  { path, moduleUid, now }: OnHost & { path: string; now: Date },
): ContentAddress | null {
  const match = /^\/([0-9a-f-]{36})\/([0-9a-f-]{36})\/(\d{1,6})\/([A-Za-z0-9_-]{24})\/(.+)$/.exec(path)
  if (!match) return null
  const [, contentKey = '', userUid = '', weekText = '', signature = '', rest = ''] = match
  const week = Number(weekText)
  const age = weekOf(now) - week
  if (!uuid.test(contentKey) || !uuid.test(userUid) || String(week) !== weekText || (age !== 0 && age !== 1))
    return null
  const expected = sign(key, { moduleUid, contentKey, userUid, week })
  return timingSafeEqual(Buffer.from(expected), Buffer.from(signature)) ? { contentKey, userUid, rest } : null
}

function weekOf(date: Date): number {
  return Math.floor(date.getTime() / weekMs)
}

type Signed = OnHost & { contentKey: string; userUid: string; week: number }

function sign(key: string, { moduleUid, contentKey, userUid, week }: Signed): string {
  const what = [...(moduleUid === null ? [] : [moduleUid]), contentKey, userUid, week].join('/')
  return createHmac('sha256', key).update(`content/${what}`).digest('base64url').slice(0, 24)
}
