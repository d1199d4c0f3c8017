import { type Kysely, sql } from 'kysely'

/** A person's searches are read for the file of her data, and forgotten with her account: without this each would read everybody's. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index search_queries_by_user on search_queries (user_id, at)`.execute(db)
}
