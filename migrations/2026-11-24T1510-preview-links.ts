import { type Kysely, sql } from 'kysely'

/**
 * Links that show one content, also a draft, to a signed-in colleague, as learners of a plan would see it. `item_uid` is
 * the uid of the content. Only the hash of the link's token is stored.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table preview_links (
      id             bigint generated always as identity primary key,
      uid            uuid not null unique,
      site_id        bigint not null references sites,
      kind           text not null check (kind in ('course', 'lecture', 'video')),
      item_uid       uuid not null,
      access_plan_id bigint not null,
      token_hash     bytea not null unique,
      created_by     bigint references users on delete set null,
      created_at     timestamptz not null,
      expires_at     timestamptz not null,
      revoked_at     timestamptz,
      foreign key (site_id, access_plan_id) references access_plans (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index preview_links_of_item on preview_links (site_id, kind, item_uid, expires_at)`.execute(db)
  await sql`create index preview_links_by_plan on preview_links (site_id, access_plan_id)`.execute(db)
  await sql`create index preview_links_by_creator on preview_links (created_by)`.execute(db)
  await sql`create index preview_links_by_expiry on preview_links (expires_at)`.execute(db)
}
