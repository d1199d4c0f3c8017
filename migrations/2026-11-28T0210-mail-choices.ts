import { type Kysely, sql } from 'kysely'

/**
 * What people do not want by email, for each kind of mail. `opted_out_of_emails` is about messages. Whoever opted out so
 * far got no reminders either.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table users
      add column opted_out_of_reminders boolean not null default false,
      add column opted_out_of_reports boolean not null default false`.execute(db)
  await sql`update users set opted_out_of_reminders = true where opted_out_of_emails`.execute(db)
}
