import { type Kysely, sql } from 'kysely'

/**
 * Statements that wait for another record store, by the site that they belong to. Nothing has written `xapi_forwards` so far, so
 * that its key can change. No foreign key to sites: it would cost a lock on the site's row for each statement.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index xapi_forwards_due`.execute(db)
  await sql`drop index xapi_forwards_by_registration`.execute(db)
  await sql`
    alter table xapi_forwards
      drop constraint xapi_forwards_pkey,
      add column site_id bigint not null,
      add column queued_at timestamptz not null default now(),
      add column set_aside_at timestamptz,
      add primary key (site_id, seq)`.execute(db)
  // What is next of each registration, found by hopping from one to the next.
  await sql`create index xapi_forwards_in_turn on xapi_forwards (site_id, registration, seq) where set_aside_at is null`.execute(
    db,
  )
  await sql`create index xapi_forwards_set_aside on xapi_forwards (site_id, next_at) where set_aside_at is not null`.execute(
    db,
  )
  await sql`
    create table xapi_forward_sites (
      site_id       bigint primary key references sites,
      failures      integer not null default 0,
      paused_until  timestamptz,
      error         text,
      failed_at     timestamptz,
      sent_at       timestamptz,
      backfill_next bigint,
      backfill_end  bigint
    )`.execute(db)
}
