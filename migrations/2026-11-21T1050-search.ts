import { type Kysely, sql } from 'kysely'

/** What the search asks: the words of a package's pages, and those of titles and descriptions apart from long texts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Null where a package was parsed before there was a search: then it is read when asked for.
  await sql`alter table cmi5_packages add column search_text text check (length(search_text) <= 250000)`.execute(db)
  // Small enough to be ranked by the hundred; tsv holds transcripts, of which each costs a read of its own.
  await sql`alter table search_documents add column head_tsv tsvector not null default ''`.execute(db)
  await sql`create index search_documents_head on search_documents using gin (head_tsv)`.execute(db)
}
