import { type Kysely, sql } from 'kysely'

/** Only the ledger of mails says to which name and address a message was sent, and it forgets them after MAIL_DAYS. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table announcement_recipients drop column email, drop column name`.execute(db)
}
