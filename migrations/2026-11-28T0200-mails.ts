import { type Kysely, sql } from 'kysely'

/**
 * The ledger of all email: one row for each, from the moment it is decided until the server has answered, and what came
 * back later. It holds the subject and never the text, because texts hold links that open accounts. `claim` names the
 * run of the sender that holds the row. The states of the mails of a message were columns of its recipients before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table announcement_recipients
      drop column attempts,
      drop column message_id,
      drop column error,
      add constraint announcement_recipients_in_site unique (site_id, id)`.execute(db)
  // From then on the mails of a message are in the ledger.
  await sql`alter table announcements add column prepared_at timestamptz`.execute(db)
  await sql`update announcements set prepared_at = sent_at where status = 'sent'`.execute(db)
  await sql`
    create table mails (
      id              bigint generated always as identity primary key,
      uid             uuid not null default gen_random_uuid() unique,
      site_id         bigint not null references sites on delete cascade,
      kind            text not null check (kind in ('message', 'test', 'account', 'reminder', 'report')),
      -- What the mail is about, so that a job that runs again finds its row. Mails of messages have a recipient.
      source          text check (length(source) <= 200),
      user_id         bigint,
      announcement_id bigint,
      recipient_id    bigint unique,
      address         text check (length(address) <= 2000),
      address_key     text check (length(address_key) <= 2000),
      name            text check (length(name) <= 500),
      subject         text not null check (length(subject) <= 500),
      state           text not null check (state in (
        'queued', 'sending', 'accepted', 'refused', 'in_doubt', 'bounced', 'complained', 'skipped')),
      -- The words of the mail server, or why the mail was skipped.
      response        text check (length(response) <= 2000),
      attempts        integer not null default 0,
      next_at         timestamptz not null default now(),
      tried_at        timestamptz,
      claim           uuid,
      claimed_at      timestamptz,
      -- In the address for returned mail and in the link to unsubscribe.
      token           uuid not null default gen_random_uuid() unique,
      message_id      text check (length(message_id) <= 500),
      created_at      timestamptz not null default now(),
      ended_at        timestamptz,
      returned_at     timestamptz,
      unique (site_id, id),
      unique (site_id, source),
      foreign key (site_id, user_id) references users (site_id, id) on delete set null (user_id),
      foreign key (site_id, announcement_id) references announcements (site_id, id)
        on delete set null (announcement_id),
      foreign key (site_id, recipient_id) references announcement_recipients (site_id, id)
        on delete set null (recipient_id)
    )`.execute(db)
  await sql`create index mails_by_user on mails (user_id)`.execute(db)
  await sql`create index mails_by_message on mails (announcement_id, state)`.execute(db)
  await sql`create index mails_to_send on mails (announcement_id, next_at, id) where state = 'queued'`.execute(db)
  await sql`create index mails_in_hand on mails (site_id, claim) where state = 'sending' or claim is not null`.execute(
    db,
  )
  await sql`create index mails_in_order on mails (site_id, created_at desc, id desc)`.execute(db)
  await sql`create index mails_by_address on mails (site_id, address_key text_pattern_ops)`.execute(db)

  await sql`
    create table mail_suppressions (
      id          bigint generated always as identity primary key,
      uid         uuid not null default gen_random_uuid() unique,
      site_id     bigint not null references sites on delete cascade,
      address_key text not null check (length(address_key) <= 2000),
      reason      text not null check (reason in ('refused', 'bounced', 'complained')),
      response    text check (length(response) <= 2000),
      since       timestamptz not null default now(),
      released_at timestamptz,
      released_by bigint,
      foreign key (site_id, released_by) references users (site_id, id) on delete set null (released_by)
    )`.execute(db)
  await sql`
    create unique index mail_suppressions_now on mail_suppressions (site_id, address_key) where released_at is null`.execute(
    db,
  )
  await sql`create index mail_suppressions_in_order on mail_suppressions (site_id, since desc, id desc)`.execute(db)
  await sql`create index mail_suppressions_by_releaser on mail_suppressions (released_by)`.execute(db)
}
