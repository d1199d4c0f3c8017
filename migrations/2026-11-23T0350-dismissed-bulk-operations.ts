import { type Kysely, sql } from 'kysely'

/** When the person who started a bulk operation dismissed the notice about its result. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table bulk_operations
      add column dismissed_at timestamptz check (dismissed_at is null or ended_at is not null)`.execute(db)
}
