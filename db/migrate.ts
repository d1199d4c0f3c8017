import { makeWorkerUtils } from 'graphile-worker'
import { Migrator, sql } from 'kysely'
import type pg from 'pg'
import { migrations } from '../migrations/index.ts'
import { createDatabase, type Database } from './client.server.ts'

/**
 * Migrates a database to the latest schema, including that of the job queue. Both use locks, so many processes may do
 * this at once. Returns the names of our migrations that ran.
 */
export async function migrateToLatest(databaseUrl: string): Promise<string[]> {
  const { db, pool } = createDatabase({ connectionString: databaseUrl, poolSize: 2 })
  try {
    const { error, results } = await (await migratorOf(db)).migrateToLatest()
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

/**
 * Returns true if every migration of this build has run. Migrations of a newer build do no harm, because they only add.
 */
export async function isMigrated(db: Database): Promise<boolean> {
  const rows = await (await migratorOf(db)).getMigrations()
  return rows.every((migration) => migration.executedAt !== undefined)
}

/**
 * Makes a migrator that accepts unknown migrations, so that an older build can run on the schema of a newer one after a
 * rollback: those migrations have run and only added to the schema. Migrations may be unordered, because a branch that
 * is merged later may have an earlier name.
 */
async function migratorOf(db: Database): Promise<Migrator> {
  const unknown = (await executedNames(db)).filter((name) => !(name in migrations))
  const passed = Object.fromEntries(unknown.map((name) => [name, { up: async () => {} }]))
  return new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...migrations, ...passed }) },
    allowUnorderedMigrations: true,
  })
}

async function executedNames(db: Database): Promise<string[]> {
  const { rows: tables } = await sql`select where to_regclass('kysely_migration') is not null`.execute(db)
  if (tables.length === 0) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  return rows.map(({ name }) => name)
}
