/** Reading a package counts as activity of the session, and costs at most one query a minute. */
import { randomUUID } from 'node:crypto'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { handleContentFile } from '~/edge/content.server.ts'
import { beginExchange } from '~/http/exchange.server.ts'
import { launchUnit } from '~/services/cmi5/cmi5.server.ts'
import { contentKeyPrefix, contentPath } from '~/services/packages/content-path.ts'
import { closeDatabase, countQueries } from '~/services/runtime.server.ts'
import { signingKey } from '~/services/sites/keys.server.ts'
import { setStorage } from '~/services/storage/storage.server.ts'
import { aModule } from '../support/cmi5.ts'
import { aContext, aUser } from '../support/context.ts'
import { aStorage } from '../support/packages.ts'
import { databaseUrl, db } from '../support/test.ts'

let server: Server
let host = ''
const counter = { queries: 0 }

beforeAll(async () => {
  env().DATABASE_URL = databaseUrl
  server = createServer((req, res) =>
    countQueries(counter, () => {
      const exchange = beginExchange(req, res, { isSecure: false, address: null, host })
      handleContentFile(req, res, exchange).catch(() => res.destroy())
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve))
  await closeDatabase()
})

function get(path: string): Promise<number> {
  const { port } = server.address() as AddressInfo
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, agent: false }, (res) => {
      res.resume().on('end', () => resolve(res.statusCode ?? 0))
    })
    sent.on('error', reject)
    sent.end()
  })
}

test('files for browsers that get no module’s host are on the shared host, and not on the app’s host names', async () => {
  const storage = aStorage()
  setStorage(storage)
  const viewer = await aUser(db)
  const contentKey = randomUUID()
  await storage.write(`${contentKeyPrefix(contentKey)}index.html`, Readable.from(['unit']), { maxBytes: 100 })
  const key = await signingKey(db, 'content_key')
  const base = contentPath(key, { contentKey, userUid: viewer.uid, now: new Date(), moduleUid: null })
  const statuses: Record<string, number> = {}
  for (host of ['127.0.0.1:3001', 'localhost:3001', 'ns.localhost:3001', '[::1]:3001', 'content.localhost:3001'])
    statuses[host] = await get(`${base}index.html`)
  expect(statuses).toEqual({
    '127.0.0.1:3001': 200,
    'localhost:3001': 404,
    'ns.localhost:3001': 404,
    '[::1]:3001': 404,
    'content.localhost:3001': 404,
  })
})

test('files keep the launch of their reader alive, with one query for many files', async () => {
  const storage = aStorage()
  setStorage(storage)
  const hourAgo = new Date(Date.now() - 3_600_000)
  const viewer = await aUser(db)
  const ctx = await aContext(db, { viewer, now: hourAgo })
  const module = await aModule(ctx)
  host = `${module.uid}.content.localhost:3001`
  const { auLaunchSessionUid } = await launchUnit(ctx, { moduleVersionUid: module.versionUid })
  const { contentKey } = await db
    .selectFrom('cmi5_packages')
    .select('content_key as contentKey')
    .where('module_version_id', '=', module.versionId)
    .executeTakeFirstOrThrow()
  await storage.write(`${contentKeyPrefix(contentKey)}index.html`, Readable.from(['unit']), { maxBytes: 100 })
  const base = contentPath(await signingKey(db, 'content_key'), {
    contentKey,
    userUid: viewer.uid,
    now: new Date(),
    moduleUid: module.uid,
  })
  const lastSeen = async () =>
    (
      await db
        .selectFrom('launch_sessions')
        .select('last_seen_at as at')
        .where('uid', '=', auLaunchSessionUid)
        .executeTakeFirstOrThrow()
    ).at.getTime()

  expect(await get(`/${randomUUID()}/index.html`)).toBe(404)
  expect(await get(`${base}missing.html`)).toBe(404)
  expect(await lastSeen()).toBe(hourAgo.getTime())
  counter.queries = 0
  expect(await get(`${base}index.html`)).toBe(200)
  await expect.poll(lastSeen).toBeGreaterThan(hourAgo.getTime())
  const statuses = await Promise.all(Array.from({ length: 20 }, () => get(`${base}index.html`)))
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(counter.queries).toBe(1)
})
