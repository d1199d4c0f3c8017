/** A database that goes silent, as after a failover: its connections stay open and never answer. */
import { once } from 'node:events'
import net, { type AddressInfo, type Socket } from 'node:net'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createDatabase } from '~db/client.server.ts'
import { databaseUrl } from '../support/test.ts'

test('connections that have gone silent are replaced, and new ones work', async () => {
  const { hostname, port } = new URL(databaseUrl)
  const ends: Socket[] = []
  const proxy = net.createServer((near) => {
    const far = net.connect(Number(port), hostname)
    ends.push(near, far)
    for (const socket of [near, far]) socket.on('error', () => {})
    near.pipe(far).pipe(near)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const through = new URL(databaseUrl)
  through.hostname = '127.0.0.1'
  through.port = String((proxy.address() as AddressInfo).port)
  const { db, pool } = createDatabase({ connectionString: through.href, poolSize: 3, statementTimeout: 100 })
  const ask = () => sql`select 1`.execute(db)
  try {
    await Promise.all([ask(), ask(), ask()])
    expect(pool.totalCount).toBe(3)
    for (const socket of ends.splice(0)) socket.unpipe().pause()
    const silent = await Promise.allSettled([ask(), ask(), ask()])
    expect(silent.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    const after = await Promise.all([ask(), ask(), ask(), ask()])
    expect(after).toHaveLength(4)
  } finally {
    for (const socket of ends) socket.destroy()
    await pool.end()
    proxy.close()
  }
})
