import { type Kysely, sql } from 'kysely'

/**
 * The primary key holds the figures too. Reports read those of a whole year of a site, which took a visit to the row for each
 * person before.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table person_years drop constraint person_years_pkey,
      add primary key (site_id, year, user_id)
        include (logins, first_login_at, last_login_at, sessions, session_seconds, modules_started, modules_completed)`.execute(
    db,
  )
}
