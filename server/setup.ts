/**
 * Runs once per start, before the processes: migrations, reference data, demo data. If it fails, it prints one
 * sentence.
 */
import pg from 'pg'
import { parseEnv } from '../app/config/env.server.ts'
import { queueSystemJob } from '../app/services/queue/queue.server.ts'
import { createDatabase } from '../db/client.server.ts'
import { migrateToLatest } from '../db/migrate.ts'
import { isActivityDue } from '../seed/activity/activity.ts'
import { isInUse, seedDemo } from '../seed/demo.ts'
import { hasAnyAdmin, seedReference } from '../seed/reference.ts'

const oldestSupported = 150000

async function main(): Promise<void> {
  const env = parseEnv(process.env)
  await checkDatabase(env.DATABASE_URL)
  const migrated = await migrateToLatest(env.DATABASE_URL)
  for (const name of migrated) console.log(`migrated ${name}`)

  const { db, pool } = createDatabase({ connectionString: env.DATABASE_URL, poolSize: 4 })
  try {
    await seedReference(db, { institutional: env.SITE_ORIGIN, ns: env.NS_SITE_ORIGIN })
    if (env.SEED_DEMO === '1' || (env.SEED_DEMO === 'auto' && !(await isInUse(db)))) await seedDemo(db)
    if (env.SEED_DEMO !== '0' && (await isActivityDue(db))) await sayActivityIsDue()
    // Indexes content from before search existed, and content that a stopped version left unindexed.
    await queueSystemJob({ db }, 'index-missing-content', {}, { key: 'index-missing-content' })
    if (!(await hasAnyAdmin(db))) {
      console.log('There is no admin yet. Create the first one: npm run admin -- create EMAIL --site institutional')
    }
  } finally {
    await pool.end()
  }
}

/** To `npm start`, which lets it happen in the background; nobody else listens. */
async function sayActivityIsDue(): Promise<void> {
  const { send } = process
  if (send) await new Promise((resolve) => send.call(process, { isDemoActivityDue: true }, resolve))
}

async function checkDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  try {
    await client.connect()
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::int as version`,
    )
    const version = rows[0]?.version ?? 0
    if (version < oldestSupported) {
      throw new Error(`the database is PostgreSQL ${Math.floor(version / 10000)}; version 15 or newer is needed`)
    }
  } catch (error) {
    const reason = error instanceof AggregateError ? (error.errors[0] as Error).message : (error as Error).message
    throw new Error(
      reason.startsWith('the database') ? reason : `the database of DATABASE_URL cannot be reached (${reason})`,
    )
  } finally {
    await client.end().catch(() => {})
  }
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    process.stderr.write(`Titrate cannot start: ${error.message.replace(/\.$/, '')}.\n`)
    process.exit(1)
  },
)
