/** The worker process: the queue's jobs without the pages, which would take as much memory again. */
import { jobs } from '../app/jobs/index.server.ts'
import { closeDatabase } from '../db/instance.server.ts'
import type { Running } from './web.ts'

/** Starts working. `close` waits for running jobs. */
export async function start(): Promise<Running> {
  const stopJobs = await jobs.start()
  return {
    close: async () => {
      await stopJobs()
      await closeDatabase()
    },
  }
}
