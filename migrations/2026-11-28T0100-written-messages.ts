import { type Kysely, sql } from 'kysely'

/**
 * Messages that admins write and send. `status` is draft until the first recipient gets the message, then sent and
 * read-only. `sending` says what is happening beside that: it is null for a draft that nobody has sent yet. Audiences
 * are expanded when the message is sent. Recipients in the state draft have been chosen and got nothing yet.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update announcements
    set status = case when sent_at is null then 'draft' else 'sent' end
    where status in ('queued', 'sending')`.execute(db)
  await sql`
    alter table announcements
      add column revision integer not null default 0,
      add column sending text
        check (sending in ('scheduled', 'late', 'preparing', 'sending', 'stopped', 'done')),
      add column send_at timestamptz,
      add column not_after timestamptz check (not_after > send_at),
      add column started_at timestamptz,
      add column finished_at timestamptz,
      add column stopped_at timestamptz,
      drop constraint announcements_status_check,
      add constraint announcements_status_check check (status in ('draft', 'sent'))`.execute(db)
  await sql`update announcements set sending = 'done', started_at = sent_at, finished_at = sent_at where status = 'sent'`.execute(
    db,
  )
  await sql`
    create index announcements_to_send on announcements (send_at)
      where sending in ('scheduled', 'preparing', 'sending')`.execute(db)
  await sql`
    create table announcement_audiences (
      announcement_id bigint not null,
      audience_id     bigint not null,
      site_id         bigint not null,
      primary key (announcement_id, audience_id),
      foreign key (site_id, announcement_id) references announcements (site_id, id) on delete cascade,
      foreign key (site_id, audience_id) references audiences (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index on announcement_audiences (site_id, audience_id)`.execute(db)

  await sql`
    alter table announcement_recipients
      add column skipped text check (skipped in ('opted_out', 'no_address', 'disabled', 'suppressed')),
      drop constraint announcement_recipients_state_check`.execute(db)
  await sql`update announcement_recipients set state = 'draft' where state in ('queued', 'sending')`.execute(db)
  await sql`update announcement_recipients set state = 'sent' where state in ('failed', 'in_doubt')`.execute(db)
  await sql`
    alter table announcement_recipients
      add constraint announcement_recipients_state_check check (state in ('draft', 'sent', 'skipped'))`.execute(db)
  await sql`drop index announcement_recipients_to_send`.execute(db)
  await sql`create index announcement_recipients_in_order on announcement_recipients (announcement_id, state, id)`.execute(
    db,
  )
}
