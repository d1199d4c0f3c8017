import { type Kysely, sql } from 'kysely'

/** A message's name has as many characters as its subject: 250 (spec, administration, "Message"). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table announcements
      drop constraint announcements_name_check,
      add constraint announcements_name_check check (length(name) between 1 and 250)`.execute(db)
}
