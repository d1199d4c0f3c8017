import { type Kysely, sql } from 'kysely'

/**
 * The keys that `npm run keys:rotate` replaces keep their earlier value for a while. The ids of voiding statements need a
 * key that never changes: it begins as the token key, from which they were made so far.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table installation
      drop constraint installation_key_check,
      add constraint installation_key_check check (key in (
        'iri_base', 'csrf_key', 'content_key', 'token_key', 'void_key', 'demo_day', 'demo_complete',
        'csrf_key_before', 'content_key_before', 'token_key_before'))`.execute(db)
  await sql`
    insert into installation (key, value) select 'void_key', value from installation where key = 'token_key'`.execute(
    db,
  )
}
