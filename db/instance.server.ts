import { env } from '../app/config/env.server.ts'
import { createDatabase, createReadOnly, type Database } from './client.server.ts'

let instance: ReturnType<typeof createDatabase> | undefined
let readOnly: Database | undefined
let queue: ReturnType<typeof createDatabase> | undefined

/** In milliseconds. The limit for jobs is long, but a job whose connection goes silent must not wait forever. */
const [requestTimeout, jobTimeout] = [20_000, 300_000]

/**
 * Returns the database with the only pool of this process. Commands pass `isForCommand` in their first call, because they
 * may take as long as they need.
 */
export function database({ isForCommand = false } = {}): ReturnType<typeof createDatabase> {
  instance ??= open(isForCommand)
  return instance
}

/** The same database over the same pool, for work that may not write. `refuse` makes the error of a write. */
export function readOnlyDatabase(refuse: () => Error): Database {
  readOnly ??= createReadOnly(database().pool, refuse)
  return readOnly
}

/** One connection hears of new jobs, and each of the five slots of the worker (app/jobs) takes and finishes them with one. */
const queueConnections = 6

/**
 * Returns the pool with which the worker takes and finishes jobs. Its queries are short, and so is their limit: with the
 * limit of jobs, a connection that goes silent would keep the worker from its next job for minutes.
 */
export function queuePool(): ReturnType<typeof createDatabase>['pool'] {
  queue ??= createDatabase({
    connectionString: env().DATABASE_URL,
    poolSize: queueConnections,
    statementTimeout: requestTimeout,
    onError: reportLoss,
  })
  return queue.pool
}

function open(isForCommand: boolean): ReturnType<typeof createDatabase> {
  const { DATABASE_URL, DATABASE_POOL_SIZE, PROCESS_ROLE } = env()
  const isForRequests = PROCESS_ROLE === 'web'
  return createDatabase({
    connectionString: DATABASE_URL,
    poolSize: DATABASE_POOL_SIZE,
    isForRequests: isForRequests && !isForCommand,
    ...(!isForCommand && { statementTimeout: isForRequests ? requestTimeout : jobTimeout }),
    onError: reportLoss,
  })
}

function reportLoss(error: Error): void {
  process.stderr.write(`${JSON.stringify({ level: 'warn', msg: `database connection lost: ${error.message}` })}\n`)
}

export async function closeDatabase(): Promise<void> {
  await Promise.all([instance?.pool.end(), queue?.pool.end()])
  instance = undefined
  queue = undefined
  readOnly = undefined
}
