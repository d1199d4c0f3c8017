import { type Kysely, sql } from 'kysely'

/**
 * Sessions in which an admin sees the learner area as somebody else. A row is there while the view lasts; the audit log
 * keeps the record. `created_by` is the admin, whose session it is.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table session_views (
      session_uid uuid primary key,
      site_id     bigint not null references sites,
      user_id     bigint not null,
      created_by  bigint not null references users on delete cascade,
      created_at  timestamptz not null,
      expires_at  timestamptz not null,
      constraint session_views_user foreign key (site_id, user_id) references users (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index session_views_by_user on session_views (site_id, user_id)`.execute(db)
  await sql`create index session_views_by_creator on session_views (created_by)`.execute(db)
}
