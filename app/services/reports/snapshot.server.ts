/** Reading many rows from one snapshot of the database, a batch at a time. */
import { randomUUID } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import { turns } from '~/lib/turns.ts'
import type { Database } from '~db/client.server.ts'
import { plannedEachTime } from '~db/prepared.server.ts'
import type { Ctx } from '../context.ts'
import { Unavailable } from '../errors.ts'

/** Few, because making them text keeps the process from other requests for that long. */
const rowsAtOnce = 500

/** Makes the query of a report inside the snapshot, so that it can look something up first. */
type QueryIn<Row> = (db: Database) => Promise<RawBuilder<Row>>

/**
 * Reads the rows of a query with a cursor on the server. Everything is read in one read-only transaction, so that the
 * rows agree with each other, whatever changes meanwhile. `signal` ends the query that runs. The caller has to read to
 * the end without waiting for a slow client, because the database ends transactions that do nothing. The first batch is
 * empty: it says that the reading has begun. Each batch is emptied when the next one is asked for. Throws Unavailable
 * before the first one if many wait for their turn, or this viewer has asked for many.
 */
export async function* readInSnapshot<Row extends object>(
  ctx: Ctx,
  makeQuery: QueryIn<Row>,
  { signal }: { signal?: AbortSignal } = {},
): AsyncGenerator<Row[]> {
  const end = await readings.take({ signal, who: ctx.viewer?.uid })
  try {
    yield* readFromCursor(ctx, makeQuery, { signal })
  } finally {
    end()
  }
}

/** Each keeps a connection, and some take a minute. The others of a process are for pages. */
const readings = turns({
  running: () => Math.max(1, Math.floor(env().DATABASE_POOL_SIZE * 0.3)),
  // Longer ones take a minute each, and nobody waits much longer for the first byte.
  waiting: 6,
  ofOne: 5,
  refusal: () => new Unavailable('Many files are being read right now. Please try again in a minute.', 60, 'busy'),
})

async function* readFromCursor<Row extends object>(
  ctx: Ctx,
  makeQuery: QueryIn<Row>,
  { signal }: { signal?: AbortSignal },
): AsyncGenerator<Row[]> {
  const trx = await ctx.db.startTransaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute()
  let canceling: Promise<unknown> | undefined
  let stopListening = () => {}
  try {
    if (signal) {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
      const cancel = () => {
        canceling = sql`select pg_cancel_backend(${rows[0]?.pid ?? 0}::int)`.execute(ctx.db).catch(() => {})
      }
      signal.addEventListener('abort', cancel)
      stopListening = () => signal.removeEventListener('abort', cancel)
    }
    const cursor = sql.id(`report_${randomUUID().slice(0, 8)}`)
    await sql`declare ${cursor} no scroll cursor for ${await makeQuery(trx)}`.execute(trx)
    yield []
    // A prepared statement would keep the columns of this cursor.
    const fetch = sql<Row>`${sql.raw(plannedEachTime)} fetch forward ${sql.lit(rowsAtOnce)} from ${cursor}`
    while (true) {
      signal?.throwIfAborted()
      const { rows } = await fetch.execute(trx)
      if (rows.length === 0) return
      yield rows
      // Awaited rows outlive many collections of young garbage, and V8 would give the process more memory for them
      // (docs/decisions/044).
      rows.length = 0
    }
  } finally {
    stopListening()
    // A cancellation that is on its way must not reach the rollback or the next transaction of the connection.
    if (canceling) await canceling.then(() => sql`select 1`.execute(trx)).catch(() => {})
    // A connection that is closed already has no transaction. The error that closed it is the one to report.
    await trx
      .rollback()
      .execute()
      .catch((error: unknown) => ctx.log.info({ err: error }, 'a snapshot had ended already'))
  }
}
