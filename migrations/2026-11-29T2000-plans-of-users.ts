import { type Kysely, sql } from 'kysely'

/**
 * Copies plan, type and end of a subscription into the row of its user, so that the table of users is sorted and filtered
 * by them from one index. A join of everybody with `subscriptions` took up to two fifths of the time of such a page. The copy follows
 * the subscription by itself. The index also has the texts that a search of one or two letters reads. Learners are
 * counted with a small index of their own, because every page shows their number.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Nobody changes a subscription between the first copy and the triggers.
  await sql`lock table subscriptions in share row exclusive mode`.execute(db)
  await sql`
    alter table users add column subscribed_plan_id bigint, add column subscribed_type text,
      add column subscribed_until timestamptz`.execute(db)
  await sql`
    update users set subscribed_plan_id = access_plan_id, subscribed_type = type, subscribed_until = valid_to
    from subscriptions where subscriptions.user_id = users.id`.execute(db)
  await sql`
    create function copy_subscriptions() returns trigger language plpgsql as $$
    begin
      update users
      set subscribed_plan_id = now.access_plan_id, subscribed_type = now.type, subscribed_until = now.valid_to
      from (
        select changed.user_id, access_plan_id, type, valid_to
        from (select distinct user_id from changed_subscriptions) changed
        left join subscriptions on subscriptions.user_id = changed.user_id) now
      where users.id = now.user_id
        and (subscribed_plan_id, subscribed_type, subscribed_until)
          is distinct from (now.access_plan_id, now.type, now.valid_to);
      return null;
    end $$`.execute(db)
  for (const [change, rows] of [
    ['insert', 'new'],
    ['update', 'new'],
    ['delete', 'old'],
  ] as const) {
    await sql`
      create trigger ${sql.raw(`copy_subscriptions_after_${change}`)} after ${sql.raw(change)} on subscriptions
      referencing ${sql.raw(rows)} table as changed_subscriptions
      for each statement execute function copy_subscriptions()`.execute(db)
  }
  await sql`drop index users_learners`.execute(db)
  await sql`
    create index users_learners on users (site_id, name_key, id)
      include (uid, email_key, university_id, joined_at, last_login_at,
        subscribed_plan_id, subscribed_type, subscribed_until, search_key)
      where is_learner and is_active and erased_at is null`.execute(db)
  await sql`
    create index users_learners_counted on users (site_id) where is_learner and is_active and erased_at is null`.execute(
    db,
  )
}
