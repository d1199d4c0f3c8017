import { type Kysely, sql } from 'kysely'

/**
 * Work on many things that jobs do one after the other, such as moving all learners of a module. `cursor` is the thing that was done last, so
 * that a job that was killed goes on behind it. What failed is listed with its reason.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table bulk_operations (
      id          bigint generated always as identity primary key,
      uid         uuid not null default gen_random_uuid() unique,
      site_id     bigint not null references sites,
      kind        text not null check (length(kind) between 1 and 50),
      subject_uid uuid not null,
      created_by  bigint references users on delete set null,
      status      text not null default 'running' check (status in ('running', 'done', 'canceled', 'failed')),
      total       integer not null check (total >= 0),
      done        integer not null default 0,
      failed      integer not null default 0,
      cursor      uuid,
      created_at  timestamptz not null,
      updated_at  timestamptz not null,
      ended_at    timestamptz,
      check ((status = 'running') = (ended_at is null)),
      check (failed <= done and done <= total)
    )`.execute(db)
  await sql`create unique index bulk_operations_running on bulk_operations (site_id, kind, subject_uid) where ended_at is null`.execute(
    db,
  )
  await sql`create index bulk_operations_by_subject on bulk_operations (site_id, subject_uid, id)`.execute(db)
  await sql`create index bulk_operations_by_creator on bulk_operations (created_by)`.execute(db)
  await sql`create index bulk_operations_by_end on bulk_operations (ended_at) where ended_at is not null`.execute(db)
  await sql`
    create table bulk_failures (
      id           bigint generated always as identity primary key,
      operation_id bigint not null references bulk_operations on delete cascade,
      item_uid     uuid not null,
      label        text not null,
      reason       text not null,
      unique (operation_id, item_uid)
    )`.execute(db)
}
