import { type Kysely, sql } from 'kysely'

/**
 * Changes of a person's address that an admin asks for. The new address confirms the change, and the old one can object
 * to it until `expires_at`. Only the hashes of the mailed links are stored; a mail that is sent again adds one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table address_changes (
      id               bigint generated always as identity primary key,
      uid              uuid not null default gen_random_uuid() unique,
      site_id          bigint not null references sites,
      user_id          bigint not null,
      email_before     text not null check (length(email_before) <= 100),
      email_key_before text not null check (length(email_key_before) <= 200),
      email            text not null check (length(email) <= 100),
      created_by       bigint references users on delete set null,
      created_at       timestamptz not null,
      expires_at       timestamptz not null,
      mailed_at        timestamptz not null,
      confirmed_at     timestamptz,
      ended_at         timestamptz,
      outcome          text check (outcome in ('canceled', 'objected', 'replaced')),
      confirm_hashes   bytea[] not null default '{}',
      object_hashes    bytea[] not null default '{}',
      unique (site_id, id),
      constraint address_changes_ended check ((ended_at is null) = (outcome is null)),
      constraint address_changes_user foreign key (site_id, user_id) references users (site_id, id) on delete cascade
    )`.execute(db)
  await sql`
    create unique index address_changes_one_waiting on address_changes (user_id)
      where confirmed_at is null and ended_at is null`.execute(db)
  await sql`create index address_changes_by_user on address_changes (site_id, user_id)`.execute(db)
  await sql`create index address_changes_by_creator on address_changes (created_by)`.execute(db)
  await sql`create index address_changes_by_old_address on address_changes (site_id, email_key_before)`.execute(db)
  await sql`create index address_changes_by_time on address_changes (created_at)`.execute(db)
  await sql`
    alter table account_mails
      drop constraint account_mails_kind,
      add constraint account_mails_kind check (kind in (
        'reset', 'password_changed', 'email_changed', 'token_created', 'address_confirm', 'address_notice')),
      add column address_change_id bigint,
      add constraint account_mails_address_change
        foreign key (site_id, address_change_id) references address_changes (site_id, id) on delete cascade`.execute(db)
  await sql`create index account_mails_by_address_change on account_mails (address_change_id)`.execute(db)
}
