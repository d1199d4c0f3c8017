import { type Kysely, sql } from 'kysely'

/**
 * Reminders of work that is due: one mail for each person and day, which the unique key decides, and what each was
 * about. `sent_at` is set before the mail is handed over, so that a job that is killed sends none twice.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table assignment_reminders (
      id         bigint generated always as identity primary key,
      uid        uuid not null default gen_random_uuid() unique,
      site_id    bigint not null references sites on delete cascade,
      user_id    bigint not null,
      day        date not null,
      created_at timestamptz not null,
      sent_at    timestamptz,
      unique (user_id, day),
      unique (site_id, id),
      foreign key (site_id, user_id) references users (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index assignment_reminders_by_day on assignment_reminders (site_id, day)`.execute(db)
  await sql`
    create table reminded_assignments (
      reminder_id bigint not null,
      site_id     bigint not null references sites on delete cascade,
      user_id     bigint not null,
      kind        text not null check (kind in ('module', 'course')),
      item_id     bigint not null,
      step        text not null check (step in ('week', 'day', 'late')),
      due_on      date not null,
      primary key (user_id, kind, item_id, step, due_on),
      foreign key (site_id, reminder_id) references assignment_reminders (site_id, id) on delete cascade,
      foreign key (site_id, user_id) references users (site_id, id) on delete cascade
    )`.execute(db)
  await sql`create index reminded_assignments_by_reminder on reminded_assignments (reminder_id)`.execute(db)
}
