import { type Kysely, sql } from 'kysely'

/**
 * Reports over long periods read indexes in the order of people, and join people in that order. How long a module took is
 * calculated once. Searches of one text are found with their people in an index alone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index users_in_institutions on users (site_id, id) include (university_id)`.execute(db)
  await sql`
    alter table module_progress add column seconds_to_complete bigint
    generated always as (case when completed_at is not null then whole_seconds(started_at, completed_at) end) stored`.execute(
    db,
  )
  await sql`drop index module_progress_by_completion`.execute(db)
  await sql`
    create index module_progress_by_completion on module_progress (site_id, completed_at, user_id)
    include (seconds_to_complete) where completed_at is not null`.execute(db)
  await sql`drop index module_progress_completed`.execute(db)
  await sql`
    create index module_progress_completed on module_progress (user_id, module_id, site_id)
    include (completed_at, seconds_to_complete) where completed_at is not null`.execute(db)
  await sql`create index search_queries_by_query on search_queries (site_id, query, user_id, at)`.execute(db)
}
