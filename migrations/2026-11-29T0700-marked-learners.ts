import { type Kysely, sql } from 'kysely'

/**
 * Marks learners in `users`, so that the table of users counts, sorts and pages them by one index. Nearly everybody is a
 * learner, and a join with `user_groups` took most of the time of a page. The mark follows the group by itself.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Nobody changes a group between the first marks and the triggers.
  await sql`lock table user_groups in share row exclusive mode`.execute(db)
  await sql`alter table users add column is_learner boolean not null default false`.execute(db)
  await sql`
    update users set is_learner = true from user_groups
    where user_groups.user_id = users.id and user_groups.name = 'learners'`.execute(db)
  await sql`
    create function mark_learners() returns trigger language plpgsql as $$
    begin
      update users set is_learner = not is_learner
      where id in (select user_id from changed)
        and is_learner <> exists (select from user_groups where user_id = users.id and name = 'learners');
      return null;
    end $$`.execute(db)
  for (const [change, rows] of [
    ['insert', 'new'],
    ['update', 'new'],
    ['delete', 'old'],
  ] as const) {
    await sql`
      create trigger ${sql.raw(`mark_learners_after_${change}`)} after ${sql.raw(change)} on user_groups
      referencing ${sql.raw(rows)} table as changed for each statement execute function mark_learners()`.execute(db)
  }
  // Everything that the table sorts by or filters most is in the index, so the rows themselves are not read.
  await sql`
    create index users_learners on users (site_id, name_key, id)
      include (uid, email_key, university_id, joined_at, last_login_at)
      where is_learner and is_active and erased_at is null`.execute(db)
}
