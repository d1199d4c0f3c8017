import type pg from 'pg'
import { env } from '../app/config/env.server.ts'
import { createDatabase, type Database } from './client.server.ts'

let instance: { db: Database; pool: pg.Pool } | undefined

/**
 * Returns the database with the only pool of this process. Web queries are canceled after 20 s; jobs and commands have
 * no limit.
 */
export function database(): { db: Database; pool: pg.Pool } {
  instance ??= createDatabase({
    connectionString: env().DATABASE_URL,
    poolSize: env().DATABASE_POOL_SIZE,
    ...(env().PROCESS_ROLE === 'web' && { statementTimeout: 20_000 }),
    onError: (error) =>
      process.stderr.write(`${JSON.stringify({ level: 'warn', msg: `database connection lost: ${error.message}` })}\n`),
  })
  return instance
}

export async function closeDatabase(): Promise<void> {
  await instance?.pool.end()
  instance = undefined
}
