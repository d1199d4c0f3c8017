import { type Kysely, sql } from 'kysely'

/**
 * People whom admins manage. `revision` counts the saves of a person's form. Since `erased_at` nobody finds the account;
 * until `purged_at` its personal data is still there, so that the deletion can be undone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table users
      add column revision integer not null default 0,
      add column purged_at timestamptz,
      add constraint users_purged check (purged_at is null or erased_at is not null)`.execute(db)
  await sql`update users set purged_at = erased_at where erased_at is not null`.execute(db)
  await sql`create index users_to_purge on users (erased_at) where erased_at is not null and purged_at is null`.execute(
    db,
  )
  // The table of users shows and sorts by how much everybody has completed.
  await sql`create index module_progress_completed on module_progress (site_id, user_id) where completed_at is not null`.execute(
    db,
  )
  await sql`create index course_progress_completed on course_progress (site_id, user_id) where completed_at is not null`.execute(
    db,
  )
  await sql`create index users_pending on users (site_id, name_key, id) where not is_active and erased_at is null`.execute(
    db,
  )
}
