import { type Kysely, sql } from 'kysely'

/** From when on the next attempt under a key is accepted; null if at once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table attempt_limits add column retry_at timestamptz`.execute(db)
}
