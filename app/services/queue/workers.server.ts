/**
 * Workers record a heartbeat every ten seconds. By itself, graphile-worker would release the jobs of a killed worker
 * only after four hours; here they are released once the worker has been silent for thirty seconds.
 */
import { sql } from 'kysely'
import type { SystemCtx } from '../context.ts'

export async function recordHeartbeat(ctx: SystemCtx, workerIds: string[]): Promise<void> {
  if (workerIds.length === 0) return
  await ctx.db
    .insertInto('job_workers')
    .values(workerIds.map((worker_id) => ({ worker_id })))
    .onConflict((oc) => oc.column('worker_id').doUpdateSet({ seen_at: sql`now()` }))
    .execute()
}

export async function removeWorkers(ctx: SystemCtx, workerIds: string[]): Promise<void> {
  if (workerIds.length > 0) await ctx.db.deleteFrom('job_workers').where('worker_id', 'in', workerIds).execute()
}

export async function freeJobsOfSilentWorkers(ctx: SystemCtx): Promise<void> {
  await sql`
    select graphile_worker.force_unlock_workers(array_agg(distinct locked_by))
    from graphile_worker._private_jobs as job
    where locked_by is not null and locked_at < now() - interval '30 seconds'
      and not exists (select from job_workers w where w.worker_id = job.locked_by and w.seen_at > now() - interval '30 seconds')
    having count(*) > 0`.execute(ctx.db)
  await sql`delete from job_workers where seen_at < now() - interval '1 day'`.execute(ctx.db)
}
