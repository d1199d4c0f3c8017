import { type Kysely, sql } from 'kysely'

/**
 * Counts the things that a bulk operation found as they should be, such as modules that were already published, apart
 * from those that failed. Undo needs to know which of the selected things were changed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table bulk_operations
      add column unchanged integer not null default 0 check (unchanged >= 0),
      add constraint bulk_operations_outcomes_check check (failed + unchanged <= done)`.execute(db)
  await sql`alter table bulk_items add column is_unchanged boolean not null default false`.execute(db)
}
