import { AsyncLocalStorage } from 'node:async_hooks'
import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import pg from 'pg'
import { prepareRepeated } from './prepared.server.ts'
import type { DB } from './schema.ts'

export type Database = Kysely<DB>

// bigint ids and timestamps in microseconds stay below 2^53, so they are plain numbers here. numeric is used only for
// scores.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)

/** Counts the queries of a request for its log line. */
export const queryCounter = new AsyncLocalStorage<{ queries: number }>()

/**
 * True inside `inTransaction`. There the pool must not be used: the query could wait for its own transaction, or read
 * an older state.
 */
export const insideTransaction = new AsyncLocalStorage<boolean>()

const connectionSettings = {
  // Days and months are in UTC, whatever the setting of the server (partitions, casts to date).
  timezone: 'UTC',
  // For misspelled words in the search (`<%`), in trigrams: below it, matches are no longer similar.
  'pg_trgm.word_similarity_threshold': 0.45,
  // The planner's own price for reading a page out of order is that of a disk with arms.
  random_page_cost: 1.1,
  // Parallel workers would take the cores from other requests, and starting them takes longer than most queries. Pages of
  // reports allow one (app/services/reports/report-cells.server.ts).
  max_parallel_workers_per_gather: 0,
}

export type DatabaseOptions = {
  connectionString: string
  poolSize: number
  /** In milliseconds. Not set for commands. */
  statementTimeout?: number
  /** Somebody waits for the answer, so locks and forgotten transactions are limited too. */
  isForRequests?: boolean
  onError?: (error: Error) => void
}

type DatabaseWithPool = {
  db: Database
  pool: pg.Pool
  /** When the server last answered a query, in milliseconds since 1970; at first, when the pool was made. */
  answeredAt: () => number
  /** The server's processes behind the connections of the pool, unless a proxy such as PgBouncer gives other numbers. */
  backends: () => number[]
}

export function createDatabase(options: DatabaseOptions): DatabaseWithPool {
  let answeredAt = Date.now()
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    max: options.poolSize,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'titrate',
    options: Object.entries(connectionSettings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    ...(options.statementTimeout && {
      statement_timeout: options.statementTimeout,
      // If the server is gone without closing the connection, its own timeout never comes.
      query_timeout: options.statementTimeout + silenceMs,
    }),
    ...(options.isForRequests && { lock_timeout: 10_000, idle_in_transaction_session_timeout: 30_000 }),
  })
  // An idle connection that breaks must not end the process. The pool opens another one for the next query.
  pool.on('error', (error) => options.onError?.(error))
  const backends = new Map<pg.PoolClient, number>()
  pool.on('remove', (client) => backends.delete(client))
  pool.on('connect', (client) => {
    backends.set(client, (client as unknown as { processID: number }).processID)
    client.on('error', (error) => options.onError?.(error))
    prepareRepeated(client)
    endIfSilent(client)
  })
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: asGuardedPool(pool) }),
    log: (event) => {
      // A refusal of the server is an answer too.
      if (event.level === 'query' || event.error instanceof pg.DatabaseError) answeredAt = Date.now()
      const counter = queryCounter.getStore()
      if (counter) counter.queries++
    },
  })
  return { db, pool, answeredAt: () => answeredAt, backends: () => [...backends.values()] }
}

/**
 * Makes a database of which the server refuses every write, whatever the code does. Its connections are those of the
 * pool, and read-only while it has them. A write throws what `refuse` makes.
 */
export function createReadOnly(pool: pg.Pool, refuse: () => Error): Database {
  const guarded = asGuardedPool(pool)
  const connect = async () => {
    const client = await guarded.connect()
    await client.query('set default_transaction_read_only = on').catch((error: Error) => {
      client.release(error)
      throw error
    })
    return {
      query: (...args: unknown[]) =>
        (client.query as (...args: unknown[]) => Promise<unknown>)(...args).catch((error: { code?: string }) => {
          throw error.code === readOnlyTransaction ? refuse() : error
        }),
      release: () => {
        // A connection that stays read-only must not return to the pool.
        client.query('set default_transaction_read_only = off').then(
          () => client.release(),
          (error: Error) => client.release(error),
        )
      },
    }
  }
  const readOnlyPool = { connect, end: async () => {} } as unknown as PostgresPool
  return new Kysely<DB>({
    dialect: new PostgresDialect({ pool: readOnlyPool }),
    log: () => {
      const counter = queryCounter.getStore()
      if (counter) counter.queries++
    },
  })
}

const readOnlyTransaction = '25006'

/** How long, in milliseconds, an answer may take beyond the timeout of the server. */
const silenceMs = 2000

/**
 * Closes a connection whose query has timed out on our side. It would let the next query wait for the same answer, and a
 * pool does not keep what is closed, whoever releases it.
 */
function endIfSilent(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown
  const watched = (...args: unknown[]) => {
    const result = query(...args)
    if (result instanceof Promise) {
      result.catch((error: Error) => {
        if (error.message === 'Query read timeout') void (client as unknown as pg.Client).end().catch(() => undefined)
      })
    }
    return result
  }
  client.query = watched as typeof client.query
}

function asGuardedPool(pool: pg.Pool): pg.Pool {
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>
  return Object.assign(Object.create(pool), {
    connect: () => {
      if (insideTransaction.getStore()) {
        return Promise.reject(new Error('The pool was used inside a transaction: pass on the ctx of inTransaction'))
      }
      return connect()
    },
    end: () => pool.end(),
  })
}
