import { type Kysely, sql } from 'kysely'

/**
 * Mails about an account that wait to be sent. Who asks for a new password is a row with what was typed, known or not, so that the
 * answer costs the same; the job finds out whose address it is. A row goes when its mail is sent or none is due.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table account_mails (
      id         bigint generated always as identity primary key,
      uid        uuid not null default gen_random_uuid() unique,
      site_id    bigint not null references sites,
      kind       text not null check (kind in ('reset', 'password_changed')),
      user_id    bigint,
      email_key  text check (length(email_key) <= 2000),
      created_at timestamptz not null default now(),
      constraint account_mails_named check ((user_id is null) <> (email_key is null)),
      constraint account_mails_user foreign key (site_id, user_id) references users (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index account_mails_by_user on account_mails (user_id)`.execute(db)
}
