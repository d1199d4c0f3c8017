import { type Kysely, sql } from 'kysely'

/**
 * Standing assignments: content that whoever joins an audience later gets, too. `standing_assignment_people` are those
 * who had their turn: whoever leaves the audience and comes back, or whose assignment was taken back, gets nothing again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table standing_assignments (
      id            bigint generated always as identity primary key,
      uid           uuid not null default gen_random_uuid() unique,
      site_id       bigint not null references sites on delete cascade,
      audience_id   bigint not null,
      operation_uid uuid not null unique,
      module_uids   uuid[] not null,
      course_uids   uuid[] not null,
      due_on        date,
      note          text check (length(note) between 1 and 500),
      joined        integer not null default 0,
      created_by    bigint references users on delete set null,
      created_at    timestamptz not null,
      unique (site_id, id),
      foreign key (site_id, audience_id) references audiences (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index on standing_assignments (site_id, audience_id)`.execute(db)
  await sql`create index on standing_assignments (created_by)`.execute(db)
  await sql`
    create table standing_assignment_people (
      standing_id bigint not null,
      user_id     bigint not null,
      site_id     bigint not null,
      primary key (standing_id, user_id),
      foreign key (site_id, standing_id) references standing_assignments (site_id, id) on delete cascade,
      foreign key (site_id, user_id) references users (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index on standing_assignment_people (site_id, user_id)`.execute(db)
}
