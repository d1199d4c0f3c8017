import { type Kysely, sql } from 'kysely'

/** What admins can set for their site: who its mails are from, and whether it records what people do on its pages. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sites
      add column sender_name text check (length(sender_name) between 1 and 100),
      add column reply_to text check (length(reply_to) between 3 and 254),
      add column records_events boolean not null default true,
      add column revision integer not null default 1`.execute(db)
}
