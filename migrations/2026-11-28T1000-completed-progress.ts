import { type Kysely, sql } from 'kysely'

/**
 * Whether a person has completed an item is found in the index alone. Counting the completed items of each person needs no
 * more than that either.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const kind of ['module', 'course']) {
    const [index, table, item] = [`${kind}_progress_completed`, `${kind}_progress`, `${kind}_id`].map((name) =>
      sql.id(name),
    )
    await sql`drop index ${index}`.execute(db)
    await sql`
      create index ${index} on ${table} (user_id, ${item}, site_id) where completed_at is not null`.execute(db)
  }
}
