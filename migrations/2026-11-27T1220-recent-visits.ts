import { type Kysely, sql } from 'kysely'

/**
 * Finds everybody who can use an account, and everybody who was seen since a moment, without reading whole rows.
 * Audiences count both ("Not seen in the last 30 days").
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index users_active on users (site_id, id) include (university_id, joined_at)
      where erased_at is null and is_active`.execute(db)
  await sql`create index visits_by_last_seen on visits (site_id, last_seen_at, user_id)`.execute(db)
}
