import { type Kysely, sql } from 'kysely'

/**
 * Files of long reports, which a job makes. Each try writes bytes under a key of its own, which stands in the row before
 * they exist, so that whatever is stored without a row can be deleted.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table report_files (
      id          bigint generated always as identity primary key,
      uid         uuid not null default gen_random_uuid() unique,
      site_id     bigint not null references sites on delete cascade,
      user_id     bigint not null,
      report      text not null check (length(report) <= 100),
      question    jsonb not null check (jsonb_typeof(question) = 'object'),
      -- The names of what it is about: a film, an institution.
      about       text[] not null,
      file_name   text not null check (length(file_name) <= 300),
      state       text not null check (state in ('waiting', 'making', 'ready', 'failed', 'canceled', 'expired')),
      -- Why it failed, in words.
      problem     text check (length(problem) <= 1000),
      -- Written so far, without the heads.
      rows        bigint not null default 0,
      bytes       bigint,
      storage_key uuid unique,
      asked_at    timestamptz not null,
      ended_at    timestamptz,
      expires_at  timestamptz,
      check ((state in ('waiting', 'making')) = (ended_at is null)),
      check (state <> 'ready' or (storage_key is not null and bytes is not null and expires_at is not null)),
      foreign key (site_id, user_id) references users (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index report_files_by_user on report_files (user_id, id desc)`.execute(db)
  await sql`
    create unique index report_files_once on report_files (user_id, report, md5(question::text))
    where state in ('waiting', 'making')`.execute(db)
  await sql`create index report_files_unfinished on report_files (site_id) where state in ('waiting', 'making')`.execute(
    db,
  )
  await sql`create index report_files_ready on report_files (expires_at) where state = 'ready'`.execute(db)
  await sql`create index report_files_ended on report_files (ended_at) where ended_at is not null`.execute(db)
}
