import { type Kysely, sql } from 'kysely'

/** The mail that tells the old address of an account that it is no longer the account's; the row keeps that address until it is sent. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table account_mails
      drop constraint account_mails_kind_check,
      add constraint account_mails_kind check (kind in ('reset', 'password_changed', 'email_changed')),
      add column address text check (length(address) <= 100),
      add constraint account_mails_address check ((address is not null) = (kind = 'email_changed'))`.execute(db)
}
