import { type Kysely, sql } from 'kysely'

/**
 * Answers have the texts of the choices. What was recorded before has their ids. A job recomputes it once, as
 * `npm run progress:rebuild` does. A new database has no queue yet, and nothing to recompute.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql`
    select from question_answers where to_regnamespace('graphile_worker') is not null limit 1`.execute(db)
  if (rows.length === 0) return
  await sql`select graphile_worker.add_job('rebuild-progress', payload => '{}'::json, max_attempts => 10)`.execute(db)
}
