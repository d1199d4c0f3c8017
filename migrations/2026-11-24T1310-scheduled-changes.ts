import { type Kysely, sql } from 'kysely'

/**
 * Content that is to be published or unpublished at a set time. `item_uid` is the uid of the content. A change that has
 * not ended is waiting for its time; each content has at most one of each action.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table scheduled_changes (
      id         bigint generated always as identity primary key,
      uid        uuid not null default gen_random_uuid() unique,
      site_id    bigint not null references sites,
      kind       text not null check (kind in ('course', 'lecture', 'module', 'video')),
      item_uid   uuid not null,
      action     text not null check (action in ('publish', 'unpublish')),
      at         timestamptz not null,
      created_by bigint references users on delete set null,
      created_at timestamptz not null,
      ended_at   timestamptz,
      result     text check (result in ('done', 'failed', 'canceled')),
      problem    text check (length(problem) <= 1000),
      check ((ended_at is null) = (result is null))
    )`.execute(db)
  await sql`
    create unique index scheduled_changes_waiting on scheduled_changes (site_id, kind, item_uid, action)
    where ended_at is null`.execute(db)
  await sql`create index scheduled_changes_due on scheduled_changes (site_id, at, id) where ended_at is null`.execute(
    db,
  )
  await sql`create index scheduled_changes_ended on scheduled_changes (site_id, ended_at desc)`.execute(db)
  await sql`create index scheduled_changes_by_creator on scheduled_changes (created_by)`.execute(db)
}
