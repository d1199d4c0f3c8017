import { type Kysely, sql } from 'kysely'

/** What can be read in a package's pages, for search. Null where a package was parsed before there was a search: it is read when asked for. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table cmi5_packages add column search_text text check (length(search_text) <= 250000)`.execute(db)
}
