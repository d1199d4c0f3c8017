import { type Kysely, sql } from 'kysely'

/**
 * Due dates and notes of assignments, and assigning in bulk. `operation_uid` is the bulk operation that made an
 * assignment or changed it last; what an admin changes by hand since belongs to none, so undoing the operation leaves
 * it. It has no foreign key, because operations are deleted after thirty days.
 *
 * `assignment_operations`: what an operation assigns. `replaced_assignments`: the due dates and notes that it has
 * replaced, to bring them back.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const kind of ['module', 'course']) {
    const assignments = sql.table(`${kind}_assignments`)
    await sql`
      alter table ${assignments}
        add column due_on date,
        add column note text check (length(note) between 1 and 500),
        add column operation_uid uuid`.execute(db)
    await sql`
      create index ${sql.ref(`${kind}_assignments_due`)} on ${assignments}
        (site_id, due_on, user_id, ${sql.ref(`${kind}_id`)}) where due_on is not null`.execute(db)
    await sql`
      create index ${sql.ref(`${kind}_assignments_by_operation`)} on ${assignments} (operation_uid)
        where operation_uid is not null`.execute(db)
  }
  await sql`
    create table assignment_operations (
      operation_uid uuid primary key,
      site_id       bigint not null references sites on delete cascade,
      module_uids   uuid[] not null,
      course_uids   uuid[] not null,
      due_on        date,
      note          text,
      assigned      integer not null default 0,
      changed       integer not null default 0,
      created_at    timestamptz not null,
      foreign key (site_id, operation_uid) references bulk_operations (site_id, uid) on delete cascade
    )`.execute(db)
  await sql`create index assignment_operations_newest on assignment_operations (site_id, created_at desc)`.execute(db)
  await sql`
    create table replaced_assignments (
      operation_uid    uuid not null,
      kind             text not null check (kind in ('module', 'course')),
      user_id          bigint not null,
      item_id          bigint not null,
      site_id          bigint not null references sites on delete cascade,
      due_on           date,
      note             text,
      operation_before uuid,
      primary key (operation_uid, kind, user_id, item_id),
      foreign key (site_id, operation_uid) references bulk_operations (site_id, uid) on delete cascade,
      foreign key (site_id, user_id) references users (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index replaced_assignments_by_user on replaced_assignments (site_id, user_id)`.execute(db)
}
