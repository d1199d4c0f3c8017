import { type Kysely, sql } from 'kysely'

/**
 * Lists of people to invite, which jobs work through: each is a bulk operation, and its rows go when the operation does.
 * `cells` are the row as it was in the file, for the list of what happened to each. `person` is whom to invite; null for
 * a row that was left out.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create unique index bulk_operations_of_site on bulk_operations (site_id, uid)`.execute(db)
  await sql`
    create table invited_lists (
      operation_uid uuid primary key,
      site_id       bigint not null references sites on delete cascade,
      file_name     text not null,
      is_reminded   boolean not null default false,
      created_at    timestamptz not null,
      foreign key (site_id, operation_uid) references bulk_operations (site_id, uid) on delete cascade
    )`.execute(db)
  await sql`create index invited_lists_by_site on invited_lists (site_id, created_at)`.execute(db)
  await sql`
    create table invited_list_rows (
      operation_uid uuid not null references invited_lists on delete cascade,
      position      integer not null check (position >= 0),
      uid           uuid not null default gen_random_uuid(),
      line          integer not null,
      cells         jsonb not null,
      person        jsonb,
      outcome       text check (outcome in ('invited', 'failed', 'left-out', 'withdrawn')),
      reason        text,
      user_uid      uuid,
      primary key (operation_uid, position)
    )`.execute(db)
  await sql`create index invited_list_rows_waiting on invited_list_rows (operation_uid, position) where outcome is null`.execute(
    db,
  )
  await sql`
    alter table invitations
      add column list_uid uuid,
      add column is_reminded boolean not null default false,
      add column reminded_at timestamptz,
      add column refused_at timestamptz,
      add column failed_at timestamptz`.execute(db)
  await sql`create index invitations_by_list on invitations (list_uid) where list_uid is not null`.execute(db)
  await sql`create index invitations_to_remind on invitations (sent_at)
    where is_reminded and reminded_at is null and accepted_at is null`.execute(db)
}
