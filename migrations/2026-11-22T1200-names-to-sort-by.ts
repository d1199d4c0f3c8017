import { type Kysely, sql } from 'kysely'

/** Sorts a hundred thousand people by the name that tables show, without computing it for each of them; and counts past those who were erased. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table users add column name_key text collate "C" not null generated always as (
      coalesce(
        nullif(
          lower(normalize(trim(coalesce(first_name, '') || ' ' || coalesce(last_name, '')), NFKC) collate "und-x-icu"),
          ''),
        email_key,
        '')) stored`.execute(db)
  await sql`create index users_by_name_key on users (site_id, name_key, id)`.execute(db)
  await sql`create index users_erased on users (id) where erased_at is not null`.execute(db)
}
