import { type Kysely, sql } from 'kysely'

/** Operations that take the due date from whoever has an item already. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table assignment_operations
      add column removes_due boolean not null default false,
      add constraint assignment_operations_due check (not removes_due or due_on is null)`.execute(db)
}
