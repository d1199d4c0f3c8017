import { type Kysely, sql } from 'kysely'

/**
 * Files that content had before a save replaced them. They stay stored as long as the history of their content may need
 * them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table replaced_files (
      file_id     bigint primary key,
      site_id     bigint not null,
      replaced_at timestamptz not null,
      foreign key (site_id, file_id) references stored_files (site_id, id) on delete no action
    )`.execute(db)
  await sql`create index replaced_files_by_site on replaced_files (site_id)`.execute(db)
  await sql`create index replaced_files_by_time on replaced_files (replaced_at)`.execute(db)
}
