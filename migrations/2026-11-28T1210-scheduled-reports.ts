import { type Kysely, sql } from 'kysely'

/**
 * Reports that go out by email at set times. A run is one report at one due time, which the unique key decides between
 * jobs that run at once. It keeps what was asked and the day that it was asked on, so that its link shows the days that
 * its mail speaks of.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table scheduled_reports (
      id           bigint generated always as identity primary key,
      uid          uuid not null default gen_random_uuid() unique,
      site_id      bigint not null references sites on delete cascade,
      -- Whose right to see reports it needs.
      owner_id     bigint not null,
      name         text collate "und-x-icu" not null check (length(name) <= 100),
      report       text not null check (length(report) <= 100),
      question     jsonb not null check (jsonb_typeof(question) = 'object'),
      often        text not null check (often in ('daily', 'weekly', 'monthly')),
      -- Of a weekly report 1 (Monday) to 7; of a monthly one 1 to 28, or 0 for the last day of the month.
      day          smallint check (day between 0 and 28),
      -- By the clocks of the site.
      time         text not null check (time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
      state        text not null check (state in ('active', 'paused', 'unopened', 'stopped')),
      -- Why it stopped, in words.
      problem      text check (length(problem) <= 1000),
      next_at      timestamptz,
      -- Reports from then on count when three in a row are not opened.
      counted_from timestamptz not null,
      revision     integer not null default 0,
      created_at   timestamptz not null default now(),
      updated_at   timestamptz not null default now(),
      deleted_at   timestamptz,
      deleted_by   bigint,
      unique (site_id, id),
      check ((state = 'active') = (next_at is not null)),
      foreign key (site_id, owner_id) references users (site_id, id) on delete cascade,
      foreign key (site_id, deleted_by) references users (site_id, id) on delete set null (deleted_by)
    )`.execute(db)
  await sql`create index scheduled_reports_by_owner on scheduled_reports (owner_id)`.execute(db)
  await sql`create index scheduled_reports_by_deleter on scheduled_reports (deleted_by)`.execute(db)
  await sql`
    create index scheduled_reports_due on scheduled_reports (site_id, next_at)
    where next_at is not null and deleted_at is null`.execute(db)
  await sql`create index scheduled_reports_in_order on scheduled_reports (site_id, id) where deleted_at is null`.execute(
    db,
  )
  await sql`create index scheduled_reports_deleted on scheduled_reports (deleted_at) where deleted_at is not null`.execute(
    db,
  )

  await sql`
    create table scheduled_report_recipients (
      scheduled_report_id bigint not null,
      site_id             bigint not null references sites on delete cascade,
      user_id             bigint not null,
      primary key (scheduled_report_id, user_id),
      foreign key (site_id, scheduled_report_id) references scheduled_reports (site_id, id) on delete cascade,
      foreign key (site_id, user_id) references users (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index scheduled_report_recipients_by_user on scheduled_report_recipients (user_id)`.execute(db)

  await sql`
    create table report_runs (
      id                  bigint generated always as identity primary key,
      uid                 uuid not null default gen_random_uuid() unique,
      site_id             bigint not null references sites on delete cascade,
      scheduled_report_id bigint not null,
      due_at              timestamptz not null,
      -- Somebody pressed "Send now": it is beside the due times.
      is_extra            boolean not null,
      report              text not null check (length(report) <= 100),
      question            jsonb not null check (jsonb_typeof(question) = 'object'),
      -- The day of the site that its period is reckoned from.
      as_of               date not null,
      -- What its mail says: the title, the days, and the figures that are about nobody.
      content             jsonb not null check (jsonb_typeof(content) = 'object'),
      made_at             timestamptz not null,
      unique (site_id, id),
      foreign key (site_id, scheduled_report_id) references scheduled_reports (site_id, id) on delete cascade
    )`.execute(db)
  await sql`
    create unique index report_runs_once on report_runs (scheduled_report_id, due_at) where not is_extra`.execute(db)
  await sql`create index report_runs_by_report on report_runs (scheduled_report_id, due_at desc)`.execute(db)

  await sql`
    create table report_run_people (
      report_run_id bigint not null,
      site_id       bigint not null references sites on delete cascade,
      user_id       bigint not null,
      -- False for a colleague who followed the link of somebody else.
      is_recipient  boolean not null,
      -- Why a recipient gets no mail.
      left_out      text check (left_out in ('no_admin', 'opted_out')),
      opened_at     timestamptz,
      primary key (report_run_id, user_id),
      foreign key (site_id, report_run_id) references report_runs (site_id, id) on delete cascade,
      foreign key (site_id, user_id) references users (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index report_run_people_by_user on report_run_people (user_id)`.execute(db)
}
