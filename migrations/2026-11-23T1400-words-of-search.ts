import { type Kysely, sql } from 'kysely'

/**
 * The version of the rules for words that a document was indexed with (app/lib/search-words.ts). Documents of older rules
 * are found as before; the job of the next start writes them again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table search_documents add column words_version integer not null default 0`.execute(db)
}
