import { type Kysely, sql } from 'kysely'

/** When the demo was begun, and that it is whole: two more things that are known once for the installation. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table installation
      drop constraint installation_key_check,
      add constraint installation_key_check
        check (key in ('iri_base', 'csrf_key', 'content_key', 'token_key', 'demo_day', 'demo_complete'))`.execute(db)
}
