import { sql } from 'kysely'
import pg from 'pg'
import type { Database } from './client.server.ts'

type Pool = { db: Database; answeredAt: () => number }

/** In milliseconds. Longer than any statement of a web process may take. */
const waitMs = 25_000

/**
 * True if the pool has had no answer for a minute and gets none now, although a new connection does: then only a new
 * process helps. While the database itself is away, it is false.
 */
export async function isPoolStuck(pool: Pool, connectionString: string, silentMs = 60_000): Promise<boolean> {
  if (Date.now() - pool.answeredAt() < silentMs) return false
  if (await answers(sql`select 1`.execute(pool.db))) return false
  return answersAnew(connectionString)
}

async function answersAnew(connectionString: string): Promise<boolean> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
    application_name: 'titrate-check',
  })
  client.on('error', () => {})
  try {
    return await answers(client.connect().then(() => client.query('select 1')))
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
