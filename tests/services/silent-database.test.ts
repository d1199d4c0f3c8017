/** A database that goes silent, as after a failover: its connections stay open and never answer. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createDatabase } from '~db/client.server.ts'
import { isPoolStuck } from '~db/stuck-pool.server.ts'
import { aDatabaseProxy } from '../support/database-proxy.ts'
import { databaseUrl } from '../support/test.ts'

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
