import { type Kysely, sql } from 'kysely'

/**
 * Views of reports that admins saved under a name. They hold a question that was checked, never an address. What a
 * question names by uid may be deleted later, and the view then says so.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table saved_views (
      id         bigint generated always as identity primary key,
      uid        uuid not null default gen_random_uuid() unique,
      site_id    bigint not null references sites on delete cascade,
      user_id    bigint not null,
      name       text collate "und-x-icu" not null check (length(name) between 1 and 100),
      name_key   text not null,
      report     text not null check (length(report) <= 100),
      question   jsonb not null check (jsonb_typeof(question) = 'object'),
      -- The column that its lines are in order by, as an address has it.
      sort       text check (length(sort) <= 10),
      is_shared  boolean not null default false,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      deleted_at timestamptz,
      foreign key (site_id, user_id) references users (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create unique index saved_views_name on saved_views (user_id, name_key) where deleted_at is null`.execute(
    db,
  )
  await sql`create index saved_views_by_user on saved_views (user_id)`.execute(db)
  await sql`
    create index saved_views_shared on saved_views (site_id, name, id) where is_shared and deleted_at is null`.execute(
    db,
  )
  await sql`create index saved_views_deleted on saved_views (deleted_at) where deleted_at is not null`.execute(db)
}
