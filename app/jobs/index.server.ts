/** The third thin transport: each task calls one service function. Jobs carry ids only and may run twice. */
import {
  type JobHelpers,
  parseCronItems,
  type Runner,
  run,
  type TaskList,
  Logger as WorkerLogger,
} from 'graphile-worker'
import { env } from '~/config/env.server.ts'
import { logger } from '~/config/log.server.ts'
import type { Ctx } from '~/services/context.ts'
import type { Jobs as JobPayloads } from '~/services/queue/queue.server.ts'
import { beat, forgetWorkers, freeJobsOfSilentWorkers } from '~/services/queue/workers.server.ts'
import { databasePool, openSystemContext } from '~/services/runtime.server.ts'
import { queueForwarding } from '~/services/xapi/xapi.server.ts'
import { deleteExpiredSessions } from './delete-expired-sessions.ts'
import { deleteExpiredTokens } from './delete-expired-tokens.ts'
import { deleteOldAttempts } from './delete-old-attempts.ts'
import { endIdleLaunches } from './end-idle-launches.ts'
import { followReferencesJob } from './follow-references.ts'
import { forwardStatementsJob } from './forward-statements.ts'
import { indexContentJob, indexMissingContent } from './index-content.ts'
import { makeEventPartitions } from './make-event-partitions.ts'
import { moveLearnersJob } from './move-learners.ts'
import { parsePackageJob } from './parse-package.ts'
import { purgeDeletedModules } from './purge-deleted-modules.ts'
import { sendAccountMail } from './send-account-mail.ts'
import { sendInvitationMail } from './send-invitation.ts'
import { failStuckPackages, sweepFiles } from './sweep-files.ts'
import { voidForeignStatementsJob } from './void-foreign-statements.ts'

/** `isLast`: after a failure nobody tries again. `signal`: the process ends, and what is not done soon is broken off. */
type Attempt = { isLast: boolean; signal: AbortSignal }

type Handlers = {
  [Name in keyof JobPayloads]: (ctx: Ctx, payload: JobPayloads[Name], attempt: Attempt) => Promise<void>
}

const handlers: Handlers = {
  'forward-statements': forwardStatementsJob,
  'parse-package': parsePackageJob,
  'index-content': indexContentJob,
  'index-missing-content': indexMissingContent,
  'move-learners': moveLearnersJob,
  'follow-references': followReferencesJob,
  'void-foreign-statements': voidForeignStatementsJob,
  'send-account-mail': sendAccountMail,
  'send-invitation': sendInvitationMail,
  'delete-expired-tokens': deleteExpiredTokens,
  'end-idle-launches': endIdleLaunches,
  'make-event-partitions': makeEventPartitions,
  'delete-expired-sessions': deleteExpiredSessions,
  'delete-old-attempts': deleteOldAttempts,
  'purge-deleted-modules': purgeDeletedModules,
  'sweep-files': sweepFiles,
  'fail-stuck-packages': failStuckPackages,
}

const timetable = [
  { task: 'make-event-partitions', match: '17 3 * * *' },
  { task: 'end-idle-launches', match: '*/10 * * * *' },
  { task: 'delete-expired-sessions', match: '27 3 * * *' },
  { task: 'delete-expired-tokens', match: '47 3 * * *' },
  { task: 'delete-old-attempts', match: '37 * * * *' },
  { task: 'purge-deleted-modules', match: '47 2 * * *' },
  { task: 'sweep-files', match: '47 3 * * *' },
  { task: 'fail-stuck-packages', match: '57 * * * *' },
]

const beatEvery = 10_000
/** How long a statement waits at most until its turn for another record store is seen. */
const lookForForwardsEvery = 2000

export type Jobs = typeof jobs

export const jobs = {
  /** Starts working; the returned function waits for running jobs and stops. */
  async start(): Promise<() => Promise<void>> {
    const ctx = await openSystemContext('institutional')
    const workerIds = new Set<string>()
    const runner = await run({
      pgPool: databasePool(),
      // A slow record store takes a place for its site, and mails must still go.
      concurrency: 3,
      pollInterval: 2000,
      noHandleSignals: true,
      taskList: taskList(),
      parsedCronItems: parseCronItems(timetable),
      logger: quietLogger(),
    })
    runner.events.on('worker:create', ({ worker }) => workerIds.add(worker.workerId))
    const tick = async () => {
      try {
        await beat(ctx, [...workerIds])
        await freeJobsOfSilentWorkers(ctx)
      } catch (error) {
        logger().warn({ err: error }, 'heartbeat failed')
      }
    }
    await tick()
    const timers = [setInterval(tick, beatEvery), setInterval(lookForForwards(ctx), lookForForwardsEvery)]
    return () => stop(runner, timers, [...workerIds])
  },
}

/** Never twice at once, however long a look takes. */
function lookForForwards(ctx: Ctx): () => Promise<void> {
  let isLooking = false
  return async () => {
    if (isLooking) return
    isLooking = true
    try {
      await queueForwarding({ ...ctx, now: new Date() })
    } catch (error) {
      logger().warn({ err: error }, 'statements to forward were not looked for')
    } finally {
      isLooking = false
    }
  }
}

async function stop(runner: Runner, timers: NodeJS.Timeout[], workerIds: string[]): Promise<void> {
  for (const timer of timers) clearInterval(timer)
  await runner.stop()
  // The runner resolves shortly before the statement that completes its last job; a job left locked would run again.
  await new Promise((resolve) => setTimeout(resolve, 150))
  await forgetWorkers(await openSystemContext('institutional'), workerIds)
}

function taskList(): TaskList {
  return Object.fromEntries(
    Object.entries(handlers).map(([name, handler]) => [
      name,
      async (payload: unknown, { job, abortSignal }: JobHelpers) => {
        const startedAt = Date.now()
        // A job acts for nobody; services that need its site take it from the row that the job names.
        const ctx = await openSystemContext('institutional')
        await handler(ctx, payload as never, { isLast: job.attempts >= job.max_attempts, signal: abortSignal })
        logger().info({ job: name, durationMs: Date.now() - startedAt }, 'job')
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
