import { type Kysely, sql } from 'kysely'

/**
 * A unit is done only when its moveOn criterion is met. What was recorded before counted a unit as done when it was
 * completed or passed, whatever was required. A job recomputes it once, as `npm run progress:rebuild` does. A new
 * database has no queue yet, and nothing to recompute.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql`
    select from registrations where to_regnamespace('graphile_worker') is not null limit 1`.execute(db)
  if (rows.length === 0) return
  await sql`select graphile_worker.add_job('rebuild-progress', payload => '{}'::json, max_attempts => 10)`.execute(db)
}
