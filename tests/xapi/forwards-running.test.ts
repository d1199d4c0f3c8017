/** Forwarding in the running product: two instances, the operator's command, and killed workers (decision 014). */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { RecordStore } from '~/config/forwarding.ts'
import { createClient, getForwarding, recordStatements, type Statement } from '~/services/xapi/xapi.server.ts'
import { createDatabase, type Database } from '~db/client.server.ts'
import { productEnv } from '../browser/support/product-env.ts'
import { eventually } from '../support/command.ts'
import { aContext, openTestDatabase } from '../support/context.ts'
import { freshDatabase } from '../support/database.ts'
import {
  aFaultyProxy,
  aStatement,
  forwardTo,
  type OtherStore,
  startOtherStore,
  waitingIn,
} from '../support/forwarding.ts'
import { startServer } from '../support/http.ts'
import { expireKilledWorkers } from '../support/jobs.ts'
import { isLong } from '../support/long.ts'

vi.setConfig({ testTimeout: 90_000 })

let other: OtherStore
beforeAll(async () => {
  other = await startOtherStore()
})

const settingsOf = ({ url, key, secret }: RecordStore) => ({
  LRS_FORWARD_URL: url,
  LRS_FORWARD_KEY: key,
  LRS_FORWARD_SECRET: secret,
})

async function open(url: string): Promise<Database> {
  const { db, pool } = createDatabase({ connectionString: url, poolSize: 4 })
  afterAll(() => pool.end())
  return db
}

test('a statement posted to one instance soon arrives at the other; both answer, and the operator sees and controls it', async () => {
  const settings = settingsOf(other)
  const server = await startServer(settings)
  const db = await open(server.databaseUrl)
  const ctx = await aContext(db, { isOperator: true })
  const { key, secret } = await createClient(ctx, { name: 'A program', scopes: ['all'] })
  const post = async (statements: object) => {
    const { status } = await server.send({
      method: 'POST',
      path: '/xapi/statements',
      body: JSON.stringify(statements),
      headers: {
        authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
        'content-type': 'application/json',
        'x-experience-api-version': '2.0.0',
      },
    })
    expect(status).toBe(200)
  }
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['dist/commands.js', 'lrs:forward', ...args], {
      env: productEnv({ databaseUrl: server.databaseUrl, dataDir: '.data', LOG_LEVEL: 'silent', ...settings }),
      encoding: 'utf8',
    })
  const ready = async () => {
    const { status, text } = await server.send({ path: '/readyz' })
    return { status, forwarding: JSON.parse(text).forwarding }
  }

  const registration = randomUUID()
  const statements = Array.from({ length: 5 }, () => aStatement(registration))
  for (const one of statements) await post(one)
  await eventually(async () => (await waitingIn(ctx)) === 0)
  expect((await other.statements({ registration })).map(({ id }) => id)).toEqual(statements.map(({ id }) => id))
  expect(await ready()).toEqual({ status: 200, forwarding: 'ok' })
  expect(server.log()).not.toContain(settings.LRS_FORWARD_SECRET)

  const status = run('status')
  expect(status).toMatchObject({ status: 0, stderr: '' })
  expect(status.stdout).toMatch(
    new RegExp(`^institutional: ${other.url}\n  last sent 2\\d{3}-\\S+Z; nothing is waiting\n$`),
  )
  expect(run('status', '--site', 'ns').stdout).toContain('ns: no external record store, so its statements stay here')
  expect(run('backfill').stdout).toBe(
    'institutional: 5 stored so far; they will be forwarded in order while Titrate runs.\n',
  )
  expect(run('backfill', '--site', 'ns')).toMatchObject({
    status: 1,
    stderr: 'No record store is set for this site, so its statements stay here.\n',
  })
  await eventually(async () => (await getForwarding(ctx)).toQueue === 0 && (await waitingIn(ctx)) === 0)
  // A turn that is still ending would reset the failures that are written next.
  await eventually(async () => {
    const { rows } = await sql`
      select from graphile_worker._private_jobs job join graphile_worker._private_tasks task on task.id = job.task_id
      where task.identifier = 'forward-statements'`.execute(db)
    return rows.length === 0
  })

  await sql`
    insert into xapi_forward_sites (site_id, failures, paused_until, error, failed_at)
    values (${ctx.site.id}, 3, now() + interval '10 minutes', 'HTTP 503', now())
    on conflict (site_id) do update set failures = 3, paused_until = excluded.paused_until, error = excluded.error,
      failed_at = excluded.failed_at`.execute(db)
  await post(aStatement())
  await sql`update xapi_forwards set queued_at = now() - interval '2 hours'`.execute(db)
  expect(await ready()).toEqual({
    status: 200,
    forwarding: expect.stringMatching(
      /^Statements of institutional have been waiting for the other record store since 2/,
    ),
  })
  expect(run('status').stdout).toMatch(
    /; 1 waiting, the oldest from 2\S+Z\n {2}failed 3 times in a row, last \S+: HTTP 503\n/,
  )
  expect(run('retry').stdout).toBe('institutional: 1 waiting; all will be sent again as soon as Titrate runs.\n')
  await eventually(async () => (await waitingIn(ctx)) === 0)
  expect(await ready()).toEqual({ status: 200, forwarding: 'ok' })
  for (const args of [[], ['status', 'ns'], ['status', '--site', 'other']]) {
    expect(run(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining('Usage: npm run lrs:forward') })
  }
})

function aWorker(databaseUrl: string, settings: Record<string, string>): ChildProcess {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'titrate-test-worker-'))
  const child = spawn(process.execPath, ['dist/server.js'], {
    env: productEnv({ databaseUrl, dataDir, PROCESS_ROLE: 'worker', LOG_LEVEL: 'silent', ...settings }),
    stdio: 'ignore',
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  })
  return child
}

test('workers killed between sending and recording lose nothing and store nothing twice', async () => {
  const url = await freshDatabase()
  const { db, close } = await openTestDatabase(url)
  const ctx = await aContext(db, { isOperator: true })
  const proxy = await aFaultyProxy(other)
  forwardTo(proxy)
  const registrations = Array.from({ length: 3 }, () => randomUUID())
  const statements = Array.from({ length: 12 }, (_, n) => aStatement(registrations[n % 3]))
  await recordStatements(ctx, { statements, authority: { mbox: 'mailto:p@example.org' }, version: '2.0.0' })

  // The other store has it, and the killed worker never learns so.
  const kills = isLong ? 3 : 1
  let killed = 0
  let worker = aWorker(url, settingsOf(proxy))
  proxy.decide = async (): Promise<'pass'> => {
    if (killed === kills) return 'pass'
    killed++
    worker.kill('SIGKILL')
    return 'pass'
  }
  for (let n = 1; n <= kills; n++) {
    await eventually(() => killed === n)
    await eventually(() => worker.signalCode === 'SIGKILL')
    await expireKilledWorkers(db)
    worker = aWorker(url, settingsOf(proxy))
  }
  await eventually(async () => (await waitingIn(ctx)) === 0)
  const sent = proxy.received.flatMap(({ body }) => (JSON.parse(body) as Statement[]).map(({ id }) => id))
  expect(sent.length).toBe(12 + 3 * kills)
  for (const registration of registrations) {
    const ours = statements.filter(({ context }) => context?.registration === registration)
    expect((await other.statements({ registration })).map(({ id }) => id)).toEqual(ours.map(({ id }) => id))
  }
  forwardTo(null)
  await close()
})
