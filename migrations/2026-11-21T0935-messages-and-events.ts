import { type Kysely, sql } from 'kysely'

/** Messages with their ledger of recipients; page and video events by month; the heartbeat of workers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table announcements (
      id                 bigint generated always as identity primary key,
      uid                uuid not null default gen_random_uuid() unique,
      site_id            bigint not null references sites,
      name               text collate "und-x-icu" not null check (length(name) between 1 and 200),
      subject            text not null default '' check (length(subject) <= 300),
      text               text not null default '' check (length(text) <= 100000),
      status             text not null default 'draft' check (status in ('draft', 'queued', 'sending', 'sent')),
      delivery_type      text not null check (delivery_type in ('email', 'dashboard')),
      from_field         text not null default '' check (length(from_field) <= 200),
      attachment_file_id bigint references stored_files on delete set null,
      selected_user_uids uuid[] not null default '{}' check (cardinality(selected_user_uids) <= 10000),
      filters            jsonb not null default '{}',
      author_id          bigint references users on delete set null,
      author_name        text not null default '' check (length(author_name) <= 200),
      sent_at            timestamptz,
      created_at         timestamptz not null default now(),
      updated_at         timestamptz not null default now(),
      deleted_at         timestamptz,
      deleted_by         bigint references users on delete set null
    )`.execute(db)
  await sql`create index announcements_by_site on announcements (site_id, status, sent_at desc)`.execute(db)
  await sql`create index announcements_by_author on announcements (author_id)`.execute(db)
  await sql`create index announcements_by_attachment on announcements (attachment_file_id)`.execute(db)
  await sql`create index announcements_by_deleter on announcements (deleted_by)`.execute(db)

  await sql`
    create table announcement_files (
      announcement_id bigint not null references announcements on delete cascade,
      file_id         bigint not null references stored_files on delete restrict,
      primary key (announcement_id, file_id)
    )`.execute(db)
  await sql`create index announcement_files_by_file on announcement_files (file_id)`.execute(db)

  await sql`
    create table announcement_recipients (
      id              bigint generated always as identity primary key,
      announcement_id bigint not null references announcements on delete cascade,
      user_id         bigint references users on delete set null,
      channel         text not null check (channel in ('email', 'dashboard')),
      token           uuid not null default gen_random_uuid() unique,
      email           text,
      name            text,
      state           text not null check (state in ('draft', 'queued', 'sending', 'sent', 'failed', 'in_doubt')),
      attempts        integer not null default 0,
      message_id      text,
      error           text,
      sent_at         timestamptz,
      opened_at       timestamptz,
      clicked_at      timestamptz,
      pinned_at       timestamptz,
      unique (announcement_id, user_id)
    )`.execute(db)
  await sql`
    create index announcement_recipients_unread on announcement_recipients (user_id)
      where channel = 'dashboard' and state = 'sent' and opened_at is null`.execute(db)
  await sql`create index announcement_recipients_by_user on announcement_recipients (user_id)`.execute(db)
  await sql`
    create index announcement_recipients_to_send on announcement_recipients (announcement_id, id)
      where state in ('queued', 'sending')`.execute(db)

  await sql`
    create table announcement_links (
      id              bigint generated always as identity primary key,
      announcement_id bigint not null references announcements on delete cascade,
      token           uuid not null default gen_random_uuid() unique,
      url             text not null check (length(url) <= 2000)
    )`.execute(db)
  await sql`create index announcement_links_by_announcement on announcement_links (announcement_id)`.execute(db)

  await sql`
    create table events (
      id         bigint generated always as identity,
      at         timestamptz not null default now(),
      site_id    bigint not null,
      user_id    bigint,
      name       text not null check (length(name) <= 100),
      properties jsonb not null default '{}',
      screen     text check (length(screen) <= 200),
      primary key (at, id)
    ) partition by range (at)`.execute(db)
  await sql`create index events_by_name on events (site_id, name, at)`.execute(db)
  await sql`create index events_by_user on events (user_id, at)`.execute(db)

  await sql`
    create table search_queries (
      id      bigint generated always as identity,
      at      timestamptz not null default now(),
      site_id bigint not null,
      user_id bigint,
      query   text not null check (length(query) <= 100),
      type    text not null check (length(type) <= 20),
      results integer not null,
      primary key (at, id)
    ) partition by range (at)`.execute(db)
  await sql`create index search_queries_by_site on search_queries (site_id, at)`.execute(db)

  /* Makes the monthly partitions from the given month up to n months ahead; a job calls it each day. */
  await sql`
    create function ensure_event_partitions(from_month date, n integer) returns void language plpgsql as $$
    declare
      first date := date_trunc('month', from_month)::date;
      parent text;
      m date;
    begin
      for i in 0..n loop
        m := (first + make_interval(months => i))::date;
        foreach parent in array array['events', 'search_queries'] loop
          execute format('create table if not exists %I partition of %I for values from (%L) to (%L)',
            parent || '_' || to_char(m, 'YYYY_MM'), parent, m, (m + interval '1 month')::date);
        end loop;
      end loop;
    end $$`.execute(db)
  await sql`select ensure_event_partitions(current_date, 3)`.execute(db)

  await sql`
    create table job_workers (
      worker_id  text primary key,
      started_at timestamptz not null default now(),
      seen_at    timestamptz not null default now()
    )`.execute(db)
}
