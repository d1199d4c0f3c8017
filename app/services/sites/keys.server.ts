/**
 * The keys that sign what leaves the server and comes back: forms, addresses of content, uploads, cursors, marks of
 * browsers. The operator can replace them (`npm run keys:rotate`). What was signed before stays valid for two weeks, as
 * long as an address of content lives, so that nobody loses an open form or module.
 */
import { randomBytes } from 'node:crypto'
import type { Database } from '~db/client.server.ts'
import { inTransaction } from '~db/transaction.server.ts'
import type { SystemCtx } from '../context.ts'
import { Conflict } from '../errors.ts'

export type KeyName = 'csrf_key' | 'content_key' | 'token_key'
const keyNames: KeyName[] = ['csrf_key', 'content_key', 'token_key']

const keptDays = 14
const dayMs = 86_400_000
/** How long a process uses the keys that it has read. */
const readAgainMs = 60_000
/** A new key signs only when every process has read it. Until then the earlier one does. */
const waitMs = 2 * readAgainMs

type Key = { value: string; createdAt: Date }
type Keys = Map<string, Key>

let read: { at: number; keys: Promise<Keys> } | undefined

/** The key to sign with. */
export async function signingKey(db: Database, name: KeyName): Promise<string> {
  const { now, before } = await keysOf(db, name)
  const isNew = Date.now() - now.createdAt.getTime() < waitMs
  return before && isNew ? before.value : now.value
}

/** The keys whose signatures are valid, the present one first. */
export async function verifyingKeys(db: Database, name: KeyName): Promise<string[]> {
  const { now, before } = await keysOf(db, name)
  return before ? [now.value, before.value] : [now.value]
}

/**
 * Replaces every key. Throws Conflict within two weeks of the last time, because what was signed before would end.
 * `isAtOnce` ends it on purpose: for a key that somebody else may know.
 */
export async function rotateKeys(ctx: SystemCtx, { isAtOnce = false } = {}): Promise<{ validUntil: Date | null }> {
  await inTransaction(ctx, async (ctx) => {
    await lockKeys(ctx.db)
    const keys = await readKeys(ctx.db)
    const last = keyNames.flatMap((name) => keys.get(`${name}_before`)?.createdAt.getTime() ?? [])
    const until = new Date(Math.max(0, ...last) + keptDays * dayMs)
    if (!isAtOnce && until > ctx.now) {
      const day = until.toISOString().slice(0, 10)
      throw new Conflict(
        'keys.rotated',
        `The keys were replaced less than two weeks ago, and what the earlier ones signed is valid until ${day}. Wait until then, or add --at-once if somebody may know a key.`,
      )
    }
    for (const name of keyNames) {
      const before = keys.get(name)
      if (isAtOnce || !before) await ctx.db.deleteFrom('installation').where('key', '=', `${name}_before`).execute()
      else await putKey(ctx, `${name}_before`, before.value)
      await putKey(ctx, name, newKey())
    }
  })
  read = undefined
  return { validUntil: isAtOnce ? null : new Date(ctx.now.getTime() + keptDays * dayMs) }
}

export function newKey(): string {
  return randomBytes(32).toString('base64url')
}

async function putKey(ctx: SystemCtx, key: string, value: string): Promise<void> {
  await ctx.db
    .insertInto('installation')
    .values({ key, value, created_at: ctx.now })
    .onConflict((oc) =>
      oc
        .column('key')
        .doUpdateSet((eb) => ({ value: eb.ref('excluded.value'), created_at: eb.ref('excluded.created_at') })),
    )
    .execute()
}

async function keysOf(db: Database, name: KeyName): Promise<{ now: Key; before: Key | null }> {
  const keys = await cachedKeys(db)
  const now = keys.get(name)
  if (!now) throw new Error(`The installation has no ${name}.`)
  const before = keys.get(`${name}_before`)
  const isKept = before !== undefined && Date.now() - before.createdAt.getTime() < keptDays * dayMs
  return { now, before: isKept ? before : null }
}

/** Reads the keys once a minute. While the database is away, the ones read last are used. */
async function cachedKeys(db: Database): Promise<Keys> {
  const last = read
  // A clock that was set back must not keep them for longer.
  if (last && Math.abs(Date.now() - last.at) < readAgainMs) return last.keys
  const keys = readKeys(db).catch((error) => {
    if (!last) {
      read = undefined
      throw error
    }
    return last.keys
  })
  read = { at: Date.now(), keys }
  return keys
}

/** Reading them is another query: one that waits for a lock does not see the rows that were added before. */
async function lockKeys(db: Database): Promise<void> {
  await db.selectFrom('installation').select('key').where('key', 'in', keyNames).orderBy('key').forUpdate().execute()
}

async function readKeys(db: Database): Promise<Keys> {
  const names = keyNames.flatMap((name) => [name, `${name}_before`])
  const rows = await db
    .selectFrom('installation')
    .select(['key', 'value', 'created_at as createdAt'])
    .where('key', 'in', names)
    .execute()
  return new Map(rows.map(({ key, ...row }) => [key, row]))
}
