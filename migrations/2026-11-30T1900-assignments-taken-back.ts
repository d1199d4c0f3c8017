import { type Kysely, sql } from 'kysely'

/** Keeps when and by whom an assignment was made that is taken back from one person, so that Undo brings both back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table replaced_assignments
      add column assigned_by bigint references users on delete set null,
      add column assigned_at timestamptz`.execute(db)
  await sql`
    create index replaced_assignments_by_assigner on replaced_assignments (assigned_by)
    where assigned_by is not null`.execute(db)
}
