import { makeWorkerUtils } from 'graphile-worker'
import { Migrator } from 'kysely'
import type pg from 'pg'
import { migrations } from '../migrations/index.ts'
import { createDatabase, type Database } from './client.server.ts'

/**
 * Brings a database to the newest schema, ours and that of the job queue. The locks of both make it safe with many processes
 * at once. Returns the names of our migrations that ran.
 */
export async function migrateToLatest(databaseUrl: string): Promise<string[]> {
  const { db, pool } = createDatabase({ connectionString: databaseUrl, poolSize: 2 })
  try {
    const { error, results } = await migratorOf(db).migrateToLatest()
    if (error) throw error
    await migrateQueue(pool)
    return (results ?? []).map((result) => result.migrationName)
  } finally {
    await pool.end()
  }
}

async function migrateQueue(pool: pg.Pool): Promise<void> {
  const queue = await makeWorkerUtils({ pgPool: pool })
  await queue.migrate()
  await queue.release()
}

/** True when every migration of this build has run. Those of a newer build are no harm: they only add (design, rule 14). */
export async function isMigrated(db: Database): Promise<boolean> {
  const rows = await migratorOf(db).getMigrations()
  return rows.every((migration) => migration.executedAt !== undefined)
}

function migratorOf(db: Database): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => migrations } })
}
