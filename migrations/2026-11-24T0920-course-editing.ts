import { type Kysely, sql } from 'kysely'

/** Two people can have the form of a course open at the same time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table courses add column revision integer not null default 0 check (revision >= 0)`.execute(db)
  await sql`create index courses_deleted on courses (deleted_at) where deleted_at is not null`.execute(db)
}
