/**
 * Runs the queue's jobs. Like other transports it has no rules of its own: each job calls one service function. Every
 * job may run twice.
 */
import { EventEmitter } from 'node:events'
import {
  type JobHelpers,
  parseCronItems,
  type Runner,
  run,
  type TaskList,
  type WorkerEvents,
  Logger as WorkerLogger,
} from 'graphile-worker'
import { env } from '~/config/env.server.ts'
import { recordStoreOf, siteKeys } from '~/config/forwarding.ts'
import { logger } from '~/config/log.server.ts'
import { freeJobsOfSilentWorkers, recordHeartbeat, removeWorkers } from '~/services/queue/workers.server.ts'
import { openSiteContext, openSystemContext, queuePool } from '~/services/runtime.server.ts'
import { queueForwarding } from '~/services/xapi/xapi.server.ts'
import { jobNames, runJob } from './run-job.server.ts'

const timetable = [
  { task: 'make-event-partitions', match: '17 3 * * *' },
  { task: 'delete-expired-sessions', match: '27 3 * * *' },
  { task: 'delete-expired-tokens', match: '47 3 * * *' },
  { task: 'delete-old-attempts', match: '37 * * * *' },
  { task: 'delete-old-bulk-operations', match: '47 3 * * *' },
  { task: 'delete-old-drafts', match: '7 2 * * *' },
  { task: 'delete-old-link-checks', match: '9 2 * * *' },
  { task: 'delete-expired-preview-links', match: '11 2 * * *' },
  { task: 'delete-expired-report-files', match: '*/10 * * * *' },
  { task: 'clear-old-mails', match: '13 2 * * *' },
  { task: 'purge-deleted-announcements', match: '35 2 * * *' },
  { task: 'purge-deleted-audiences', match: '36 2 * * *' },
  { task: 'purge-deleted-courses', match: '37 2 * * *' },
  { task: 'purge-deleted-lectures', match: '39 2 * * *' },
  { task: 'purge-deleted-modules', match: '47 2 * * *' },
  { task: 'purge-deleted-reports', match: '48 2 * * *' },
  { task: 'purge-deleted-videos', match: '49 2 * * *' },
  { task: 'erase-deleted-users', match: '17 2 * * *' },
  { task: 'purge-removed-tags', match: '57 2 * * *' },
  { task: 'purge-removed-universities', match: '58 2 * * *' },
  { task: 'seal-audit-entries', match: '* * * * *' },
  { task: 'sweep-files', match: '47 3 * * *' },
  { task: 'fail-stuck-bulk-operations', match: '7 * * * *' },
  { task: 'fail-stuck-packages', match: '57 * * * *' },
  ...siteKeys.map((site) => ({
    task: 'end-idle-launches',
    identifier: `end-idle-launches:${site}`,
    match: '*/10 * * * *',
    payload: { site },
  })),
  ...siteKeys.map((site) => ({
    task: 'remind-invited-people',
    identifier: `remind-invited-people:${site}`,
    match: '13 9 * * *',
    payload: { site },
  })),
  ...siteKeys.map((site) => ({
    task: 'assign-to-joined',
    identifier: `assign-to-joined:${site}`,
    match: '*/10 * * * *',
    payload: { site },
  })),
  ...siteKeys.map((site) => ({
    task: 'renew-figures',
    identifier: `renew-figures:${site}`,
    match: '33 * * * *',
    payload: { site },
  })),
  // Each hour, because the hours in which mails may be sent are those of the site.
  ...siteKeys.map((site) => ({
    task: 'remind-of-due-work',
    identifier: `remind-of-due-work:${site}`,
    match: '23 * * * *',
    payload: { site },
  })),
  ...siteKeys.map((site) => ({
    task: 'run-scheduled-changes',
    identifier: `run-scheduled-changes:${site}`,
    match: '* * * * *',
    payload: { site },
  })),
  ...siteKeys.map((site) => ({
    task: 'run-scheduled-reports',
    identifier: `run-scheduled-reports:${site}`,
    match: '* * * * *',
    payload: { site },
  })),
  ...siteKeys.map((site) => ({
    task: 'start-scheduled-messages',
    identifier: `start-scheduled-messages:${site}`,
    match: '* * * * *',
    payload: { site },
  })),
  // Continues what a killed worker has left behind.
  ...siteKeys.map((site) => ({
    task: 'send-messages',
    identifier: `send-messages:${site}`,
    match: '* * * * *',
    payload: { site },
    options: { jobKey: `send-messages:${site}`, queueName: `send-messages:${site}` },
  })),
]

const heartbeatMs = 10_000
/** How often to check for statements that are due for another record store. */
const forwardingCheckMs = 2000

export type Jobs = typeof jobs

export const jobs = {
  /** Starts working; the returned function waits for running jobs and stops. */
  async start(): Promise<() => Promise<void>> {
    const workerIds = new Set<string>()
    // Jobs are locked by the pool of workers, which `run` makes before it returns.
    const events: WorkerEvents = new EventEmitter()
    events.on('pool:create', ({ workerPool }) => workerIds.add(workerPool.id))
    const runner = await run({
      events,
      pgPool: queuePool(),
      // A slow record store and a long message occupy one slot per site each, and other jobs must still be done.
      concurrency: 5,
      pollInterval: 2000,
      noHandleSignals: true,
      taskList: taskList(),
      parsedCronItems: parseCronItems(timetable),
      logger: quietLogger(),
    })
    const heartbeat = async () => {
      try {
        await recordHeartbeat(openSystemContext(), [...workerIds])
        await freeJobsOfSilentWorkers(openSystemContext())
      } catch (error) {
        logger().warn({ err: error }, 'heartbeat failed')
      }
    }
    await heartbeat()
    const timers = [setInterval(heartbeat, heartbeatMs), setInterval(forwardingCheck(), forwardingCheckMs)]
    return () => stop(runner, timers, [...workerIds])
  },
}

/** Queues forwarding for sites that have something to send. Does nothing while the previous check is still running. */
function forwardingCheck(): () => Promise<void> {
  const sites = siteKeys.filter((site) => recordStoreOf(env(), site))
  let isRunning = false
  return async () => {
    if (isRunning) return
    isRunning = true
    try {
      for (const site of sites) await queueForwarding(await openSiteContext(site))
    } catch (error) {
      logger().warn({ err: error }, 'check for statements to forward failed')
    } finally {
      isRunning = false
    }
  }
}

async function stop(runner: Runner, timers: NodeJS.Timeout[], workerIds: string[]): Promise<void> {
  for (const timer of timers) clearInterval(timer)
  await runner.stop()
  // The runner resolves shortly before its last job is marked as complete; a job that stays locked would run again.
  await new Promise((resolve) => setTimeout(resolve, 150))
  await removeWorkers(openSystemContext(), workerIds)
}

function taskList(): TaskList {
  return Object.fromEntries(
    jobNames.map((name) => [
      name,
      async (payload: unknown, { job, abortSignal }: JobHelpers) => {
        const startedAt = Date.now()
        const attempt = { isLast: job.attempts >= job.max_attempts, signal: abortSignal }
        const result = await runJob(openSystemContext(), name, payload, attempt)
        logger().info({ job: name, durationMs: Date.now() - startedAt, result }, 'job')
      },
    ]),
  )
}

function quietLogger() {
  const write = (level: string, message: string) => {
    if (level === 'error') logger().error(message)
    else if (level === 'warning') logger().warn(message)
    else if (env().LOG_LEVEL === 'debug') logger().debug(message)
  }
  return new WorkerLogger(() => write)
}
