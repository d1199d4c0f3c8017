import { type Kysely, sql } from 'kysely'

/** The searches for a term are listed, and the term is the text without capitals and spaces around it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index search_queries_by_term on search_queries (site_id, lower(trim(query)), at, id)`.execute(db)
}
