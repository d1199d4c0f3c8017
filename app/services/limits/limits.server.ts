/**
 * Limits of attempts, counted in PostgreSQL so that all processes share the counts. Keys are hashed, so that no address
 * is stored.
 */
import { createHmac } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import type { Ctx, SystemCtx } from '../context.ts'
import { signingKey } from '../sites/keys.server.ts'

/** Counts one attempt under each key and returns the counts within the window, in the order of the keys. */
export async function countAttempts(ctx: Ctx, keys: string[], windowSeconds: number): Promise<number[]> {
  const hashes = await Promise.all(keys.map((key) => hashOf(ctx, key)))
  // Sorted, so that two requests with the same keys cannot deadlock.
  const ordered = [...hashes].sort(Buffer.compare)
  const { rows } = await sql<{ key: Buffer; count: number }>`
    insert into attempt_limits (key, window_start, count)
    select key, ${ctx.now}, 1 from unnest(${ordered}::bytea[]) as key
    on conflict (key) do update set
      count = case when attempt_limits.window_start < ${ctx.now}::timestamptz - make_interval(secs => ${windowSeconds})
        then 1 else attempt_limits.count + 1 end,
      window_start = case when attempt_limits.window_start < ${ctx.now}::timestamptz - make_interval(secs => ${windowSeconds})
        then excluded.window_start else attempt_limits.window_start end
    returning key, count`.execute(ctx.db)
  return hashes.map((hash) => rows.find((row) => row.key.equals(hash))?.count ?? 0)
}

type Admission = { free: number; windowSeconds: number; firstWaitSeconds: number; longestWaitSeconds: number }

/**
 * Counts one attempt under a key, unless an earlier one has to be waited for: then it returns the seconds to wait and
 * counts nothing. From the attempt `free` on, each one that is counted makes the next one wait, twice as long as before.
 * One statement decides, so that attempts at once get no further than attempts in a row.
 */
export async function admitAttempt(ctx: Ctx, key: string, rule: Admission): Promise<{ waitSeconds: number }> {
  const hash = await hashOf(ctx, key)
  const now = sql`${ctx.now}::timestamptz`
  const isOver = sql`attempt_limits.window_start < ${now} - make_interval(secs => ${rule.windowSeconds})`
  const next = sql`case when ${isOver} then 1 else attempt_limits.count + 1 end`
  const { rows: admitted } = await sql`
    insert into attempt_limits (key, window_start, count, retry_at)
    values (${hash}, ${now}, 1, ${retryAt(now, sql`1`, rule)})
    on conflict (key) do update set
      count = ${next},
      window_start = case when ${isOver} then excluded.window_start else attempt_limits.window_start end,
      retry_at = ${retryAt(now, next, rule)}
    where attempt_limits.retry_at is null or attempt_limits.retry_at <= ${now}
    returning count`.execute(ctx.db)
  if (admitted.length > 0) return { waitSeconds: 0 }
  const row = await ctx.db
    .selectFrom('attempt_limits')
    .select('retry_at as retryAt')
    .where('key', '=', hash)
    .executeTakeFirst()
  // At least a second: the row may have been cleared in between, and then the next attempt is admitted.
  // Counted from the current time, because the attempt to wait for may have begun after this one.
  const waitMs = (row?.retryAt?.getTime() ?? 0) - Math.max(ctx.now.getTime(), Date.now())
  return { waitSeconds: Math.max(1, Math.ceil(waitMs / 1000)) }
}

/** The time from which the attempt after this one is admitted. The exponent is limited, so that it cannot overflow. */
function retryAt(now: RawBuilder<unknown>, count: RawBuilder<unknown>, rule: Admission): RawBuilder<unknown> {
  const { free, firstWaitSeconds, longestWaitSeconds } = rule
  return sql`case when ${count} >= ${free}::int then ${now} + make_interval(secs =>
    least(${longestWaitSeconds}::float8, ${firstWaitSeconds}::float8 * power(2, least(${count} - ${free}::int, 20)))) end`
}

/** Deletes the attempts under these keys, after a success. */
export async function clearAttempts(ctx: Ctx, keys: string[]): Promise<void> {
  const hashes = await Promise.all(keys.map((key) => hashOf(ctx, key)))
  await ctx.db.deleteFrom('attempt_limits').where('key', 'in', hashes).execute()
}

/** Subtracts one attempt under each key, if it should not count. The next one need not wait for it. */
export async function uncountAttempt(ctx: Ctx, keys: string[]): Promise<void> {
  const hashes = await Promise.all(keys.map((key) => hashOf(ctx, key)))
  await sql`
    update attempt_limits set count = count - 1, retry_at = null
    where count > 0 and key in (select key from attempt_limits where key = any(${hashes}::bytea[]) order by key for update)`.execute(
    ctx.db,
  )
}

/** Deletes attempts older than a day. Windows last only minutes. */
export async function deleteOldAttempts(ctx: SystemCtx): Promise<void> {
  await ctx.db
    .deleteFrom('attempt_limits')
    .where('window_start', '<', new Date(ctx.now.getTime() - 86_400_000))
    .execute()
}

/** Returns the part of an address that one attacker is likely to control: /24 of IPv4, /64 of IPv6. */
export function addressPrefix(address: string | null): string {
  if (!address) return 'unknown'
  const plain = address.replace(/^::ffff:/i, '')
  if (/^\d+\.\d+\.\d+\.\d+$/.test(plain)) return plain.split('.').slice(0, 3).join('.')
  return expandedGroups(plain).slice(0, 4).join(':')
}

function expandedGroups(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const left = head.split(':').filter(Boolean)
  if (tail === undefined) return left
  const right = tail.split(':').filter(Boolean)
  return [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
}

async function hashOf(ctx: Ctx, key: string): Promise<Buffer> {
  return createHmac('sha256', await signingKey(ctx.db, 'token_key'))
    .update(`limit:${key}`)
    .digest()
}
