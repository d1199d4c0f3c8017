import { env } from '../app/config/env.server.ts'
import { createDatabase } from './client.server.ts'

let instance: ReturnType<typeof createDatabase> | undefined

/**
 * Returns the database with the only pool of this process. Web queries are canceled after 20 s; jobs and commands have
 * no limit.
 */
export function database(): ReturnType<typeof createDatabase> {
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
