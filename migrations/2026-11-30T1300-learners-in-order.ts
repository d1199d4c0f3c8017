import { type Kysely, sql } from 'kysely'

/**
 * Gives the table of learners an index for each of its orders, so that a page is read from its place instead of sorting
 * everybody: that took 40 ms for 100,000 people. People without a value are last either way, and for that a column
 * needs an index for each direction. Whom an index lists is as in `users_learners`. The index on last and first names goes,
 * since everything is sorted by `name_key`.
 */
const orders = {
  users_by_email: 'email_key collate "C"',
  users_by_joined: 'joined_at',
  users_by_joined_desc: 'joined_at desc nulls last',
  users_by_login: 'last_login_at',
  users_by_login_desc: 'last_login_at desc nulls last',
  users_by_plan: 'subscribed_plan_id',
  users_by_type: 'subscribed_type',
  users_by_type_desc: 'subscribed_type desc nulls last',
  users_by_until: 'subscribed_until',
  users_by_until_desc: 'subscribed_until desc nulls last',
}

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [name, order] of Object.entries(orders)) {
    await sql`
      create index ${sql.ref(name)} on users (site_id, ${sql.raw(order)}, name_key, id)
      where is_learner and is_active and erased_at is null`.execute(db)
  }
  await sql`drop index users_by_name`.execute(db)
}
