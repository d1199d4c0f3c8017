import { type Kysely, sql } from 'kysely'

/**
 * Openings and clicks of messages by email. Those of machines (proxies of mail programs, scanners) are kept apart.
 * `clicked_link_id` is the link that was followed first, so that a scanner that follows every link is recognized. A mail
 * that was sent without tracking says so, because then nobody knows what became of it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table announcement_recipients
      add column machine_opened_at timestamptz,
      add column machine_clicked_at timestamptz,
      add column clicked_link_id bigint references announcement_links on delete set null`.execute(db)
  await sql`
    create index announcement_recipients_by_link on announcement_recipients (clicked_link_id)`.execute(db)
  await sql`
    alter table mails
      add column is_tracked boolean not null default false,
      add column unsubscribed_at timestamptz`.execute(db)
  await sql`alter table sites add column tracks_mails boolean not null default true`.execute(db)
  await sql`alter table users add column opted_out_of_tracking boolean not null default false`.execute(db)
  // The statistics of a message to a hundred thousand people are read from these two alone.
  await sql`
    create index announcement_recipients_figures on announcement_recipients (announcement_id, state)
      include (opened_at, clicked_at, pinned_at, machine_opened_at, machine_clicked_at)`.execute(db)
  await sql`
    create index mails_figures on mails (announcement_id, state) include (is_tracked, unsubscribed_at)`.execute(db)
  await sql`drop index mails_by_message`.execute(db)
}
