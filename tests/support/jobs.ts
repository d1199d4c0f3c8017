import { sql } from 'kysely'
import type { SiteKey } from '~/services/context.ts'
import type { SiteJobs, SystemJobs } from '~/services/queue/queue.server.ts'
import type { Database } from '~db/client.server.ts'

type Jobs = { [Name in keyof SiteJobs]: SiteJobs[Name] & { site: SiteKey } } & SystemJobs

/** Takes the waiting jobs with this name off the queue and returns them in order. */
export async function takeJobs<Name extends keyof Jobs>(db: Database, name: Name): Promise<Jobs[Name][]> {
  const { rows } = await sql<{ payload: Jobs[Name] }>`
    with waiting as (
      delete from graphile_worker._private_jobs using graphile_worker._private_tasks
      where _private_tasks.id = _private_jobs.task_id and _private_tasks.identifier = ${name}
      returning _private_jobs.id, _private_jobs.payload)
    select payload from waiting order by id`.execute(db)
  return rows.map(({ payload }) => payload)
}

/** Makes killed workers look silent for so long that others take over their jobs. */
export async function expireKilledWorkers(db: Database): Promise<void> {
  await sql`update job_workers set seen_at = seen_at - interval '1 minute'`.execute(db)
  await sql`update graphile_worker._private_jobs set locked_at = locked_at - interval '1 minute'`.execute(db)
  await sql`
    update invitations set last_attempted_send_at = last_attempted_send_at - interval '3 minutes'
    where sent_at is null`.execute(db)
}
