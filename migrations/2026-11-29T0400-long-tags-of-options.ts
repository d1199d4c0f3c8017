import { type Kysely, sql } from 'kysely'

/** The key of a tag may be longer than its text, because one character can stand for a phrase (NFKC). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table profile_option_tags
      drop constraint profile_option_tags_tag_check, add constraint profile_option_tags_tag_check check (tag <> '')`.execute(
    db,
  )
}
