import { sql } from 'kysely'
import pg from 'pg'
import type { Database } from './client.server.ts'

type Pool = { db: Database; answeredAt: () => number; backends: () => number[] }

/** In milliseconds. Longer than any statement of a web process may take. */
const waitMs = 25_000

/**
 * True if the pool has had no answer for a minute and gets none now, although a new connection does: then only a new
 * process helps. False while the database itself is away, and while it runs queries of the pool, which may be waiting for a
 * lock.
 */
export async function isPoolStuck(pool: Pool, connectionString: string, silentMs = 60_000): Promise<boolean> {
  if (Date.now() - pool.answeredAt() < silentMs) return false
  if (await answers(sql`select 1`.execute(pool.db))) return false
  const isIdle = await isIdleForPool(connectionString, pool.backends())
  // The pool may have had its answer in the meantime.
  return isIdle && Date.now() - pool.answeredAt() >= silentMs
}

/** Asks on a new connection. False if that gets no answer either. */
async function isIdleForPool(connectionString: string, backends: number[]): Promise<boolean> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
    application_name: 'titrate-check',
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rowCount } = await client.query(
      "select from pg_stat_activity where pid = any($1::int[]) and state = 'active' limit 1",
      [backends],
    )
    return rowCount === 0
  } catch {
    return false
  } finally {
    client.end().catch(() => {})
  }
}

async function answers(question: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const never = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), waitMs)
  })
  const answer = question.then(
    () => true,
    () => false,
  )
  return Promise.race([answer, never]).finally(() => clearTimeout(timer))
}
