/** A database that goes silent, as after a failover: its connections stay open and never answer. */
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { env } from '~/config/env.server.ts'
import { createDatabase } from '~db/client.server.ts'
import { closeDatabase, database } from '~db/instance.server.ts'
import { isPoolStuck } from '~db/stuck-pool.server.ts'
import { aDatabaseProxy } from '../support/database-proxy.ts'
import { databaseUrl, db } from '../support/test.ts'

test('connections that have gone silent are replaced, and new ones work', async () => {
  const proxy = await aDatabaseProxy()
  const connectionString = proxy.through(databaseUrl)
  const { db, pool } = createDatabase({ connectionString, poolSize: 3, statementTimeout: 100 })
  const ask = () => sql`select 1`.execute(db)
  try {
    await Promise.all([ask(), ask(), ask()])
    expect(pool.totalCount).toBe(3)
    proxy.silence()
    const silent = await Promise.allSettled([ask(), ask(), ask()])
    expect(silent.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    const after = await Promise.all([ask(), ask(), ask(), ask()])
    expect(after).toHaveLength(4)
    // The queue uses the pool without our guard, and releases a connection without saying what was wrong with it.
    const client = await pool.connect()
    proxy.silence()
    await expect(client.query('select 1')).rejects.toThrow('Query read timeout')
    client.release()
    const next = await pool.connect()
    expect(next).not.toBe(client)
    next.release()
  } finally {
    proxy.close()
    await pool.end()
  }
})

test('a pool that gets no answer for a while although a new connection does is stuck; one without a database is not', async () => {
  let isStuck = false
  const proxy = await aDatabaseProxy((startup) => isStuck && !startup.includes('titrate-check'))
  const connectionString = proxy.through(databaseUrl)
  const database = createDatabase({ connectionString, poolSize: 1, statementTimeout: 100 })
  const { db, pool, answeredAt } = database
  const check = (silentMs: number) => isPoolStuck(database, connectionString, silentMs)
  try {
    const begin = answeredAt()
    await sql`select 1`.execute(db)
    await expect(sql`select 1 / 0`.execute(db)).rejects.toThrow('division by zero')
    expect(answeredAt()).toBeGreaterThanOrEqual(begin)
    expect(await check(0)).toBe(false)
    isStuck = true
    proxy.silence()
    await expect(sql`select 1`.execute(db)).rejects.toThrow('Query read timeout')
    expect(await check(60_000)).toBe(false)
    expect(await check(0)).toBe(true)
    proxy.goAway()
    expect(await check(0)).toBe(false)
    isStuck = false
    proxy.comeBack()
    expect(await check(0)).toBe(false)
    await sql`select 1`.execute(db)
  } finally {
    proxy.close()
    await pool.end()
  }
}, 60_000)

test('a pool whose connections are busy, perhaps waiting for a lock, is not stuck', async () => {
  const proxy = await aDatabaseProxy()
  proxy.goAway()
  const unusable = createDatabase({ connectionString: proxy.through(databaseUrl), poolSize: 1 })
  const busy = createDatabase({ connectionString: databaseUrl, poolSize: 1 })
  const check = () => isPoolStuck({ ...busy, db: unusable.db, answeredAt: () => 0 }, databaseUrl)
  try {
    const sleep = sql`select pg_sleep(60)`.execute(busy.db).catch((error: Error) => error.message)
    await vi.waitFor(() => expect(busy.backends()).toHaveLength(1), 10_000)
    await vi.waitFor(async () => expect(await check()).toBe(false), 10_000)
    await sql`select pg_cancel_backend(${busy.backends()[0]})`.execute(db)
    expect(await sleep).toContain('canceling statement')
    await vi.waitFor(async () => expect(await check()).toBe(true), 10_000)
  } finally {
    proxy.close()
    await Promise.all([busy.pool.end(), unusable.pool.end()])
  }
})

test.each([
  ['web', false, ['20s', '10s', '30s']],
  ['worker', false, ['5min', '0', '0']],
  ['both', false, ['5min', '0', '0']],
  ['both', true, ['0', '0', '0']],
] as const)('time limits of a %s process (a command: %s): %j', async (role, isForCommand, [statement, lock, idle]) => {
  Object.assign(env(), { PROCESS_ROLE: role, DATABASE_URL: databaseUrl })
  try {
    const { rows } = await sql`
      select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
        current_setting('idle_in_transaction_session_timeout') as idle`.execute(database({ isForCommand }).db)
    expect(rows).toEqual([{ statement, lock, idle }])
  } finally {
    await closeDatabase()
  }
})
