import { type Kysely, sql } from 'kysely'

/**
 * What the overview counts: tests that were failed and not passed, access that ends soon, and modules that were started
 * or completed in a period.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index registration_units_failed on registration_units (failed_at)
    where failed_at is not null and passed_at is null and waived_at is null`.execute(db)
  await sql`create index module_progress_by_start on module_progress (site_id, started_at, user_id)`.execute(db)
  await sql`
    create index module_progress_by_completion on module_progress (site_id, completed_at, user_id)
    where completed_at is not null`.execute(db)
  await sql`create index subscriptions_ending on subscriptions (valid_to) where valid_to is not null`.execute(db)
}
