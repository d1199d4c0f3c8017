/**
 * A sender that is killed again and again, against a mail server that refuses, delays and breaks connections. Nobody is
 * lost, and nobody gets a mail twice except those whose mail was in doubt and is listed so.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { env } from '~/config/env.server.ts'
import { prepareMessage } from '~/services/announcements/prepare-message.server.ts'
import { sendMessages } from '~/services/announcements/send-messages.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { isLong } from '../support/long.ts'
import { aDraft, ledger, start, stateOf } from '../support/messages.ts'
import { startSmtp } from '../support/smtp.ts'
import { databaseUrl, db } from '../support/test.ts'

const [recipients, kills] = isLong ? [10_000, 100] : [400, 3]
vi.setConfig({ testTimeout: isLong ? 1_800_000 : 120_000 })

async function aSender(url: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'tests/support/message-sender.ts', databaseUrl, url], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.stdout) await once(child.stdout, 'data')
  return child
}

test('of a message whose sender is killed again and again nobody is lost, and nobody gets it twice', async () => {
  const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
  await sql`
    insert into users (site_id, email, email_key, first_name, last_name, is_active, joined_at)
    select ${admin.site.id}, 'r' || n || '@titrate.example', 'r' || n || '@titrate.example', 'R', 'Person', true, now()
    from generate_series(1, ${recipients}::int) n`.execute(db)
  const { rows: to } = await sql<{ id: number }>`select id from users where email like 'r%@titrate.example'`.execute(db)
  const message = await aDraft(admin, { to })
  await start(admin, message.id)
  await prepareMessage(admin, { announcementUid: message.uid })

  const smtp = await startSmtp()
  const refusedOnce = new Set<string>()
  smtp.treat((address) => {
    const number = Number(/\d+/.exec(address)?.[0] ?? 0)
    if (number % 50 === 1) return { atRcpt: 550 }
    if (number % 50 === 2 && !refusedOnce.has(address)) {
      refusedOnce.add(address)
      return { atData: 451 }
    }
    return number % 100 === 3 ? 'drop' : 'take'
  })
  let killed = 0
  try {
    for (; killed < kills; killed++) {
      const before = smtp.received.length
      const sender = await aSender(smtp.url)
      const enough = before + Math.floor(recipients / (kills * 2))
      // A fixed number of mails instead of a time, so that each sender is killed in the middle on every machine.
      while (smtp.received.length < enough && sender.exitCode === null) await new Promise((go) => setTimeout(go, 5))
      sender.kill('SIGKILL')
      if (sender.exitCode === null && sender.signalCode === null) await once(sender, 'exit')
    }
    const inAnHour = { ...admin, now: new Date(Date.now() + 3_600_000) }
    while ((await sendMessages(inAnHour, { forMs: 600_000 })).handedOver > 0);
  } finally {
    await smtp.close()
  }

  const rows = await ledger(admin, message.id)
  const inState = (state: string) => rows.filter((row) => row.state === state).map(({ address }) => address)
  expect(rows).toHaveLength(recipients)
  expect(await stateOf(admin, message.id)).toEqual({ status: 'sent', sending: 'done' })
  const doubtful = new Set(inState('in_doubt'))
  const refused = new Set(inState('refused'))
  const dropped = recipients / 100
  expect(refused.size).toBe(recipients / 50)
  expect(doubtful.size).toBeGreaterThanOrEqual(dropped)
  expect(doubtful.size).toBeLessThanOrEqual(dropped + kills * env().MAIL_CONNECTIONS)
  const received = new Map<string, number>()
  for (const { to } of smtp.received) received.set(to[0] ?? '', (received.get(to[0] ?? '') ?? 0) + 1)
  expect([...received].filter(([, count]) => count > 1)).toEqual([])
  const lost = inState('accepted').filter((address) => !received.has(address))
  expect(lost).toEqual([])
  expect(inState('accepted').length + doubtful.size + refused.size).toBe(recipients)
})
