import { type Kysely, sql } from 'kysely'

/**
 * Recipients without a token, because the ledger of mails has one for each mail, and with fewer indexes: one instead of two
 * in the order of the list, and one of followed links without the recipients who followed none. A message to 100,000 people
 * writes as many rows when its people are chosen, and again when it is sent.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table announcement_recipients drop column token`.execute(db)
  await sql`drop index announcement_recipients_in_order, announcement_recipients_figures`.execute(db)
  await sql`
    create index announcement_recipients_figures on announcement_recipients (announcement_id, state, id)
      include (opened_at, clicked_at, pinned_at, machine_opened_at, machine_clicked_at)`.execute(db)
  await sql`drop index announcement_recipients_by_link`.execute(db)
  await sql`
    create index announcement_recipients_by_link on announcement_recipients (clicked_link_id)
    where clicked_link_id is not null`.execute(db)
}
