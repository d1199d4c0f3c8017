import { type Kysely, sql } from 'kysely'

/**
 * The things of a bulk operation that somebody has chosen one by one, such as the selected rows of a table. They are kept while the person is
 * asked to confirm (`prepared`), so that the question survives a reload, and for the jobs afterwards.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table bulk_items (
      operation_id bigint not null references bulk_operations on delete cascade,
      position     integer not null check (position >= 0),
      item_uid     uuid not null,
      label        text not null,
      primary key (operation_id, position),
      unique (operation_id, item_uid)
    )`.execute(db)
  await sql`
    alter table bulk_operations
      drop constraint bulk_operations_status_check,
      drop constraint bulk_operations_check,
      add constraint bulk_operations_status_check
        check (status in ('prepared', 'running', 'done', 'canceled', 'failed')),
      add constraint bulk_operations_check check ((status in ('prepared', 'running')) = (ended_at is null))`.execute(db)
  await sql`create index bulk_operations_prepared on bulk_operations (created_at) where status = 'prepared'`.execute(db)
}
