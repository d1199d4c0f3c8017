import { type Kysely, sql } from 'kysely'

/** Two people can have the form of a term, or of the glossary's heading, open at the same time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table glossary_terms add column revision integer not null default 0 check (revision >= 0)`.execute(db)
  await sql`alter table glossary_settings add column revision integer not null default 0 check (revision >= 0)`.execute(
    db,
  )
}
