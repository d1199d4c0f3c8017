import { type Kysely, sql } from 'kysely'

/**
 * Tags that were removed from a site, or merged into another tag, with everything that had them, so that they can be
 * brought back for thirty days.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table removed_tags (
      id             bigint generated always as identity primary key,
      uid            uuid not null default gen_random_uuid() unique,
      site_id        bigint not null references sites,
      tag_uid        uuid not null,
      text           text collate "und-x-icu" not null check (length(text) between 1 and 100),
      text_key       text not null,
      merged_into_uid uuid,
      carriers       jsonb not null,
      deleted_by     bigint references users on delete set null,
      removed_at     timestamptz not null
    )`.execute(db)
  await sql`create index removed_tags_newest on removed_tags (site_id, removed_at desc, id desc)`.execute(db)
  await sql`create index removed_tags_by_deleter on removed_tags (deleted_by)`.execute(db)
}
