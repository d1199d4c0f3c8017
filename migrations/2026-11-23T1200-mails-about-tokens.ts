import { type Kysely, sql } from 'kysely'

/** The mail that tells people that an access token was created for their account. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table account_mails
      drop constraint account_mails_kind,
      add constraint account_mails_kind
        check (kind in ('reset', 'password_changed', 'email_changed', 'token_created'))`.execute(db)
}
