import { type Kysely, sql } from 'kysely'

/**
 * Terms of the glossary show their definition where they are used, unless the author of the content switches that off.
 * A page finds the terms of its texts by their first word: `lib/glossary-words.ts` splits texts at the same characters.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const kind of ['courses', 'modules', 'lectures', 'videos']) {
    await sql`alter table ${sql.table(kind)} add column shows_terms boolean not null default true`.execute(db)
  }
  await sql`
    alter table glossary_terms
      add column first_word text collate "C" generated always as (
        substring(name_key collate "und-x-icu" from '[[:alnum:]]+')) stored`.execute(db)
  await sql`
    create index glossary_terms_by_first_word on glossary_terms (site_id, first_word) where deleted_at is null`.execute(
    db,
  )
}
