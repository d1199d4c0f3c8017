import { makeWorkerUtils } from 'graphile-worker'
import { Kysely, Migrator, PostgresDialect } from 'kysely'
import pg from 'pg'
import { migrations } from '../migrations/index.ts'
import { createDatabase } from './client.server.ts'

/**
 * Brings a database to the newest schema, ours and that of the job queue. The locks of both make it safe with many processes
 * at once.
 */
export async function migrateToLatest(databaseUrl: string): Promise<string[]> {
  const db = new Kysely<unknown>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: databaseUrl, max: 2 }) }),
  })
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
    const { error, results } = await migrator.migrateToLatest()
    if (error) throw error
    await migrateQueue(databaseUrl)
    return (results ?? []).map((result) => result.migrationName)
  } finally {
    await db.destroy()
  }
}

async function migrateQueue(databaseUrl: string): Promise<void> {
  const { pool } = createDatabase({ connectionString: databaseUrl, poolSize: 2 })
  try {
    const queue = await makeWorkerUtils({ pgPool: pool })
    await queue.migrate()
    await queue.release()
  } finally {
    await pool.end()
  }
}

/** True when every migration of this build has run, and none that it does not know. */
// biome-ignore lint/suspicious/noExplicitAny: any schema will do, and Kysely<unknown> does not accept one
export async function isMigrated(db: Kysely<any>): Promise<boolean> {
  const rows = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).getMigrations()
  return rows.every((migration) => migration.executedAt !== undefined)
}
