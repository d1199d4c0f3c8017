import { type Kysely, sql } from 'kysely'

/**
 * What editing modules in the console needs: a revision, so that the second of two authors is told what the first one changed, and
 * pictures that know which upload they were made from.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table modules add column revision integer not null default 0 check (revision >= 0)`.execute(db)
  // A derivative goes with its original. It is what others than its uploader and staff see of an uploaded image.
  await sql`
    alter table stored_files
      add column original_id bigint,
      add constraint stored_files_original foreign key (site_id, original_id)
        references stored_files (site_id, id) on delete cascade`.execute(db)
  await sql`create index stored_files_by_original on stored_files (original_id)`.execute(db)
}
