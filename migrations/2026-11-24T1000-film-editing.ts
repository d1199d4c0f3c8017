import { type Kysely, sql } from 'kysely'

/**
 * Two people can have the form of a lecture or a video open at the same time. Videos get a presenter, and the tables of
 * the console sort by a folded name.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const kind of ['lectures', 'videos']) {
    const table = sql.table(kind)
    await sql`
      alter table ${table}
        add column revision integer not null default 0 check (revision >= 0),
        add column name_key text collate "C" not null generated always as (
          lower(normalize(name, NFKC) collate "und-x-icu")) stored`.execute(db)
    await sql`
      create index ${sql.ref(`${kind}_by_name_key`)} on ${table} (site_id, name_key, id) where deleted_at is null`.execute(
      db,
    )
    await sql`create index ${sql.ref(`${kind}_deleted`)} on ${table} (deleted_at) where deleted_at is not null`.execute(
      db,
    )
  }
  await sql`alter table videos add column presenter text not null default '' check (length(presenter) <= 200)`.execute(
    db,
  )
}
