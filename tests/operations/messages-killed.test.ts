/**
 * A product whose worker, web process and PostgreSQL are killed again and again while it sends a message, against a mail
 * server that refuses, delays and breaks connections. Nobody is lost, and nobody gets a mail twice except those whose
 * mail was in doubt and is listed so.
 */
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { env } from '~/config/env.server.ts'
import type { Ctx } from '~/services/context.ts'
import { createDatabase, type Database } from '~db/client.server.ts'
import { findEmbedded } from '../../server/embedded-pg.mjs'
import { eventually } from '../support/command.ts'
import { aContext, aUser } from '../support/context.ts'
import { expireKilledWorkers } from '../support/jobs.ts'
import { isLong } from '../support/long.ts'
import { aDraft, ledger, start, stateOf } from '../support/messages.ts'
import { startSmtp } from '../support/smtp.ts'
import { aReadyStart, isServing, killPostgres, ownSettings, processesOf, type Settings } from '../support/start.ts'

const [recipients, kills] = isLong ? [10_000, 100] : [300, 3]
vi.setConfig({ testTimeout: isLong ? 3_600_000 : 120_000 })

const victims = ['worker', 'postgres', 'web'] as const

/** Makes everybody a recipient and starts sending, as the dialog does. The worker does the rest. */
async function sendToEverybody(db: Database): Promise<{ admin: Ctx; id: number }> {
  const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
  await sql`
    insert into users (site_id, email, email_key, first_name, last_name, is_active, joined_at)
    select ${admin.site.id}, 'r' || n || '@titrate.example', 'r' || n || '@titrate.example', 'R', 'Person', true, now()
    from generate_series(1, ${recipients}::int) n`.execute(db)
  const { rows: to } = await sql<{ id: number }>`select id from users where email like 'r%@titrate.example'`.execute(db)
  const { id } = await aDraft(admin, { to })
  await start(admin, id)
  return { admin, id }
}

/** Runs this with a connection to the product's database, which may have been started again on another port. */
async function inDatabase<T>(settings: Settings, work: (db: Database) => Promise<T>): Promise<T> {
  const url = await findEmbedded(path.join(settings.DATA_DIR ?? '', 'pg'))
  if (!url) throw new Error('The database is not there.')
  const { db, pool } = createDatabase({ connectionString: url, poolSize: 2 })
  return work(db).finally(() => pool.end())
}

const numberIn = (address: string | null) => Number(/\d+/.exec(address ?? '')?.[0] ?? 0)

/** Treats the first of each hundred in ways of its own: refuses two for good and two once, and drops one. */
function asBadServer(): Parameters<Awaited<ReturnType<typeof startSmtp>>['treat']>[0] {
  const refusedOnce = new Set<string>()
  return (address) => {
    const number = numberIn(address)
    if (number % 50 === 1) return { atRcpt: 550 }
    if (number % 50 === 2 && !refusedOnce.has(address)) {
      refusedOnce.add(address)
      return { atData: 451 }
    }
    return number % 100 === 3 ? 'drop' : 'take'
  }
}

function kill(settings: Settings, victim: (typeof victims)[number]): void {
  if (victim === 'postgres') killPostgres(settings)
  else for (const pid of processesOf(settings, victim)) process.kill(pid, 'SIGKILL')
}

/** Waits until all parts of the product run again, and lets the new worker take over at once. */
async function recover(settings: Settings): Promise<void> {
  await eventually(() => isServing(settings))
  await eventually(() => processesOf(settings, 'worker').length > 0)
  await eventually(() =>
    inDatabase(settings, expireKilledWorkers).then(
      () => true,
      () => false,
    ),
  )
}

test.runIf(process.platform === 'linux')(
  'of a message nobody is lost and nobody gets it twice, however often worker, web and PostgreSQL are killed',
  async () => {
    const smtp = await startSmtp()
    smtp.treat(asBadServer())
    const settings = { ...(await ownSettings()), SMTP_URL: smtp.url }
    try {
      await aReadyStart(settings)
      const { admin, id } = await inDatabase(settings, sendToEverybody)
      for (let killed = 0; killed < kills; killed++) {
        const before = smtp.received.length
        // A number of mails instead of a time, so that each kill comes in the middle on every machine.
        const enough = Math.min(before + 1 + Math.floor((Math.random() * recipients) / kills), recipients * 0.9)
        await eventually(() => smtp.received.length >= enough)
        kill(
          settings,
          isLong ? (victims[Math.floor(Math.random() * victims.length)] ?? 'worker') : (victims[killed] ?? 'web'),
        )
        await recover(settings)
      }
      const sent = () =>
        inDatabase(settings, async (db) => {
          // Those that were refused for a while are tried again at once.
          await sql`update mails set next_at = now() where state = 'queued' and next_at > now()`.execute(db)
          await sql`update graphile_worker._private_jobs set run_at = now() where locked_at is null`.execute(db)
          return (await stateOf({ ...admin, db }, id))?.sending === 'done'
        })
      while (!(await sent())) await sleep(250)
      await inDatabase(settings, async (db) => checkLedger(await ledger({ ...admin, db }, id), smtp.received))
    } finally {
      await smtp.close()
    }
  },
)

type LedgerRow = Awaited<ReturnType<typeof ledger>>[number]

function checkLedger(rows: LedgerRow[], mails: { to: string[] }[]): void {
  const inState = (state: string) => rows.filter((row) => row.state === state).map(({ address }) => address)
  const [accepted, doubtful, refused] = [inState('accepted'), inState('in_doubt'), inState('refused')]
  expect(rows).toHaveLength(recipients)
  expect(accepted.length + doubtful.length + refused.length).toBe(recipients)
  // Nobody knows the server's word for a mail that was in hand when its worker was killed.
  const isRefusedThere = (address: string | null) => numberIn(address) % 50 === 1
  expect(refused.filter((address) => !isRefusedThere(address))).toEqual([])
  expect([...refused, ...doubtful].filter(isRefusedThere)).toHaveLength(recipients / 50)
  const dropped = recipients / 100
  expect(doubtful.length).toBeGreaterThanOrEqual(dropped)
  expect(doubtful.length).toBeLessThanOrEqual(dropped + kills * env().MAIL_CONNECTIONS)
  const received = new Map<string, number>()
  for (const { to } of mails) received.set(to[0] ?? '', (received.get(to[0] ?? '') ?? 0) + 1)
  expect([...received].filter(([, count]) => count > 1)).toEqual([])
  expect(accepted.filter((address) => !received.has(address))).toEqual([])
}
