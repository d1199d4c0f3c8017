/** The worker process: the queue's jobs without the pages, which would take as much memory again. */
import { jobs } from '../app/jobs/index.server.ts'
import { closeDatabase } from '../db/instance.server.ts'

/** Starts working. The returned function waits for running jobs and stops. */
export async function start(): Promise<() => Promise<void>> {
  const stopJobs = await jobs.start()
  return async () => {
    await stopJobs()
    await closeDatabase()
  }
}
