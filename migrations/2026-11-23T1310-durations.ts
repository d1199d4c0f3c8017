import { type Kysely, sql } from 'kysely'

/**
 * How long modules and courses take: the author's figure, and an estimate of each package. An estimate of 0 means that
 * the package gives nothing to go by; null means that it was not estimated yet. Packages that are already there are read
 * by the job that indexes their modules. A new database has no queue yet, and no packages.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table modules add column duration_minutes integer check (duration_minutes between 1 and 6000)`.execute(db)
  await sql`
    alter table courses add column duration_minutes integer check (duration_minutes between 1 and 6000)`.execute(db)
  await sql`
    alter table cmi5_packages add column estimated_minutes integer check (estimated_minutes >= 0)`.execute(db)
  const { rows } = await sql`
    select from cmi5_packages
    where status = 'parsed' and to_regnamespace('graphile_worker') is not null limit 1`.execute(db)
  if (rows.length === 0) return
  await sql`
    select graphile_worker.add_job('index-content', payload => batch.payload, max_attempts => 10)
    from (
      select json_build_object('kind', 'module', 'uids', json_agg(uid)) as payload
      from (select uid, (row_number() over (order by id) - 1) / 20 as part from modules where deleted_at is null) module
      group by part) batch`.execute(db)
}
