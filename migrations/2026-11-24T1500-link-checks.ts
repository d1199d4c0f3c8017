import { type Kysely, sql } from 'kysely'

/**
 * What a visit to the address of a link found. `failures` counts visits in a row that failed, so that a server that was
 * down for a moment does not count as gone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table link_checks (
      site_id    bigint not null references sites,
      url        text not null check (length(url) <= 2000),
      outcome    text not null check (outcome in ('alive', 'gone', 'private', 'failed')),
      status     integer,
      failures   integer not null default 0,
      checked_at timestamptz not null,
      primary key (site_id, url)
    )`.execute(db)
  await sql`create index link_checks_by_time on link_checks (checked_at)`.execute(db)
}
