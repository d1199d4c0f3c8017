import { type Kysely, sql } from 'kysely'

/** What reports about years need of a million plays or completions is found in an index alone. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index video_plays_by_film on video_plays (site_id, subject_uid, user_id, started_at)`.execute(db)
  await sql`drop index module_progress_by_completion`.execute(db)
  await sql`
    create index module_progress_by_completion on module_progress (site_id, completed_at, user_id) include (started_at)
    where completed_at is not null`.execute(db)
}
