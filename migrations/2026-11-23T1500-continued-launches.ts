import { type Kysely, sql } from 'kysely'

/** The launch that another one continues, because its page was loaded again. A launch is continued at most once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table launch_sessions add column continues_id bigint unique
      references launch_sessions on delete set null`.execute(db)
}
