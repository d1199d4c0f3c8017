import { AsyncLocalStorage } from 'node:async_hooks'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { prepareRepeated } from './prepared.server.ts'
import type { DB } from './schema.ts'

export type Database = Kysely<DB>

// bigint ids and microsecond stamps stay below 2^53, so they are plain numbers here; numeric is only used for scores.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)

/** Counts the queries of one request, so that its log line can say how many it took. */
export const queryCounter = new AsyncLocalStorage<{ queries: number }>()

/** True inside `inTransaction`; there the pool must not be used, since it would wait for itself or read an older state. */
export const insideTransaction = new AsyncLocalStorage<boolean>()

export type DatabaseOptions = {
  connectionString: string
  poolSize: number
  /** Milliseconds; web connections are cut off, jobs and commands are not. */
  statementTimeout?: number
  onError?: (error: Error) => void
}

export function createDatabase(options: DatabaseOptions): { db: Database; pool: pg.Pool } {
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    max: options.poolSize,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    application_name: 'titrate',
    // What is a day or a month is decided in UTC, whatever the server's own setting is (partitions, casts to date).
    // And how much of a misspelled word must agree, in trigrams, for the search (`<%`): below it what comes is no longer alike.
    options: '-c timezone=UTC -c pg_trgm.word_similarity_threshold=0.45',
    ...(options.statementTimeout && {
      statement_timeout: options.statementTimeout,
      lock_timeout: Math.min(options.statementTimeout, 10_000),
      idle_in_transaction_session_timeout: 30_000,
    }),
  })
  // A connection that dies while idle must not end the process: the pool opens another one at the next query.
  pool.on('error', (error) => options.onError?.(error))
  pool.on('connect', (client) => {
    client.on('error', (error) => options.onError?.(error))
    prepareRepeated(client)
  })
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool: asGuardedPool(pool) }),
    log: () => {
      const counter = queryCounter.getStore()
      if (counter) counter.queries++
    },
  })
  return { db, pool }
}

function asGuardedPool(pool: pg.Pool): pg.Pool {
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>
  return Object.assign(Object.create(pool), {
    connect: () => {
      if (insideTransaction.getStore()) {
        return Promise.reject(new Error('The pool was used inside a transaction: pass the ctx of inTransaction on'))
      }
      return connect()
    },
    end: () => pool.end(),
  })
}
