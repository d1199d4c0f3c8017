/**
 * `npm run bench -- messages send [RECIPIENTS]`: a product sends one message to 10,000 people, or as many as you say, by a mail
 * server on the same machine, which takes everything. The goals are 200 emails a second with flat memory, and one email
 * for each recipient. The settings are the usual ones, and the mails are signed and tracked.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { SMTPServer } from 'smtp-server'
import { parseEnv } from '../app/config/env.server.ts'
import { startSending } from '../app/services/announcements/start-sending.server.ts'
import { siteContext } from '../app/services/context.ts'
import { getSite } from '../app/services/sites/sites.server.ts'
import { createDatabase } from '../db/client.server.ts'
import { inTransaction } from '../db/transaction.server.ts'
import { benchLog } from './measure.ts'
import { aMessage } from './messages.ts'
import { type Product, startProduct } from './product.ts'
import { seedBench } from './seed.ts'

export async function benchSending(recipients: number): Promise<void> {
  const folder = `.data/bench-${randomBytes(4).toString('hex')}`
  const smtp = await startServer()
  const product = await startProduct(folder, { settings: { SMTP_URL: smtp.url, ...signing(folder) } })
  try {
    console.log(`Writing ${recipients} users …`)
    await seedBench(product.databaseUrl, { users: recipients, modules: 1, statements: 1 })
    await send(product, smtp, recipients)
  } finally {
    await product.stop()
    await smtp.close()
  }
}

type Smtp = Awaited<ReturnType<typeof startServer>>

async function send(product: Product, smtp: Smtp, recipients: number): Promise<void> {
  const { db, pool } = createDatabase({ connectionString: product.databaseUrl, poolSize: 2 })
  try {
    const ctx = siteContext({ db, site: await getSite(db, 'institutional'), isOperator: true, log: benchLog })
    const message = await aMessage(ctx)
    await inTransaction(ctx, (ctx) => startSending(ctx, { announcementId: message.id, sendAt: null, notAfter: null }))
    const memory: { mails: number; worker: number; PostgreSQL: number }[] = []
    const isDone = async () => {
      const { rows } = await sql<{ sending: string }>`
        select sending from announcements where id = ${message.id}`.execute(db)
      return rows[0]?.sending === 'done'
    }
    while (!(await isDone())) {
      if (smtp.firstAt() > 0) {
        const { worker, PostgreSQL } = product.memoryByPart()
        memory.push({ mails: smtp.count(), worker, PostgreSQL })
      }
      await sleep(1000)
    }
    const { rows: states } = await sql<{ state: string; mails: number; most: number }>`
      select state, count(*)::int as mails, max(attempts)::int as most from mails where announcement_id = ${message.id}
      group by state`.execute(db)
    const { MAIL_CONNECTIONS, MAIL_PER_SECOND } = parseEnv({ ...process.env, DATABASE_URL: product.databaseUrl })
    console.log(
      `settings: MAIL_CONNECTIONS=${MAIL_CONNECTIONS}, MAIL_PER_SECOND=${MAIL_PER_SECOND}, DKIM with 2048 bits, tracked`,
    )
    report({ smtp, memory, recipients, states })
  } finally {
    await pool.end()
  }
}

type Result = {
  smtp: Smtp
  memory: { mails: number; worker: number; PostgreSQL: number }[]
  recipients: number
  states: { state: string; mails: number; most: number }[]
}

function report({ smtp, memory, recipients, states }: Result): void {
  const seconds = (smtp.lastAt() - smtp.firstAt()) / 1000
  console.log(
    `${smtp.count()} emails in ${seconds.toFixed(1)} s: ${(smtp.count() / seconds).toFixed(0)} a second; ${(smtp.bytes() / smtp.count() / 1024).toFixed(1)} KB each; ${smtp.connections()} connections`,
  )
  for (const [name, at] of [
    ['beginning', 0],
    ['first quarter', 0.25],
    ['middle', 0.5],
    ['third quarter', 0.75],
    ['end', 0.999],
  ] as const) {
    const { mails, worker, PostgreSQL } = memory[Math.floor(at * memory.length)] ?? {
      mails: 0,
      worker: 0,
      PostgreSQL: 0,
    }
    console.log(`memory at the ${name} (${mails} emails): worker ${worker} MB, PostgreSQL ${PostgreSQL} MB`)
  }
  console.log(`most memory of the worker: ${Math.max(...memory.map(({ worker }) => worker))} MB`)
  for (const { state, mails, most } of states) {
    console.log(`ledger: ${mails} ${state}, at most ${most === 1 ? 'one attempt' : `${most} attempts`}`)
  }
  const twice = [...smtp.mails.values()].filter((count) => count > 1).length
  console.log(`recipients: ${recipients}, with an email: ${smtp.mails.size}, with more than one: ${twice}`)
  if (smtp.mails.size !== recipients || twice > 0) throw new Error('Not every recipient got exactly one email.')
}

/** A mail server that takes every mail and counts those of each address. */
async function startServer() {
  const mails = new Map<string, number>()
  let [count, bytes, connections, firstAt, lastAt] = [0, 0, 0, 0, 0]
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onConnect(_session, done) {
      connections++
      done()
    },
    onData(stream, session, done) {
      stream.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      stream.on('end', () => {
        const address = session.envelope.rcptTo[0]?.address ?? ''
        mails.set(address, (mails.get(address) ?? 0) + 1)
        lastAt = Date.now()
        firstAt ||= lastAt
        count++
        done()
      })
    },
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    count: () => count,
    bytes: () => bytes,
    connections: () => connections,
    firstAt: () => firstAt,
    lastAt: () => lastAt,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

function signing(folder: string): Record<string, string> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  mkdirSync(folder, { recursive: true })
  const file = path.resolve(folder, 'dkim.pem')
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  return { DKIM_DOMAIN: 'titrate.example', DKIM_SELECTOR: 'bench', DKIM_KEY_FILE: file }
}
