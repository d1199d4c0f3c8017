import { type Kysely, sql } from 'kysely'

/**
 * Audiences: named rules about people. A rule refers to institutions, plans, answers and content by their uids, so that
 * one whose institution was deleted can say so.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table audiences (
      id         bigint generated always as identity primary key,
      uid        uuid not null default gen_random_uuid() unique,
      site_id    bigint not null references sites,
      name       text collate "und-x-icu" not null check (length(name) between 1 and 100),
      name_key   text not null,
      search_key text not null,
      rule       jsonb not null check (jsonb_typeof(rule) = 'array'),
      revision   integer not null default 0,
      created_by bigint references users on delete set null,
      updated_by bigint references users on delete set null,
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now(),
      deleted_at timestamptz,
      deleted_by bigint references users on delete set null,
      unique (site_id, id)
    )`.execute(db)
  await sql`create unique index audiences_name on audiences (site_id, name_key) where deleted_at is null`.execute(db)
  await sql`create index audiences_by_name on audiences (site_id, name, id) where deleted_at is null`.execute(db)
  await sql`create index audiences_deleted on audiences (site_id, deleted_at desc) where deleted_at is not null`.execute(
    db,
  )
  await sql`create index audiences_by_creator on audiences (created_by)`.execute(db)
  await sql`create index audiences_by_editor on audiences (updated_by)`.execute(db)
  await sql`create index audiences_by_deleter on audiences (deleted_by)`.execute(db)
}
