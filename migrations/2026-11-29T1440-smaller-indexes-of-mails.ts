import { type Kysely, sql } from 'kysely'

/**
 * Indexes without the rows that nobody looks for in them, and without one that nothing uses: mails of messages have no
 * source, and mails that wait have not ended. A message to 100,000 people writes as many rows at once.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table mails drop constraint mails_site_id_id_key, drop constraint mails_site_id_source_key`.execute(db)
  await sql`create unique index mails_by_source on mails (site_id, source) where source is not null`.execute(db)
  await sql`drop index mails_to_clear`.execute(db)
  await sql`
    create index mails_to_clear on mails (ended_at)
    where ended_at is not null
      and (subject <> '' or address is not null or kind <> 'message' or announcement_id is null)`.execute(db)
}
