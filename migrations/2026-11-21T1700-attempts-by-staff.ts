import { type Kysely, sql } from 'kysely'

/**
 * What staff do with attempts (docs/decisions/013): who launched a session that is not the learner's own doing, and which attempt
 * another one goes on from. Of an attempt at most one is made.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table launch_sessions add column launched_by bigint references users on delete set null`.execute(db)
  await sql`create index launch_sessions_by_launcher on launch_sessions (launched_by)`.execute(db)
  await sql`alter table registrations add constraint registrations_site_id_id_key unique (site_id, id)`.execute(db)
  await sql`
    alter table registrations
      add column moved_from_id bigint unique,
      add foreign key (site_id, moved_from_id) references registrations (site_id, id)
        on delete set null (moved_from_id)`.execute(db)
}
