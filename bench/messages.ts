/**
 * `npm run bench -- messages`: writes the ledger of a message to 100,000 people, and measures what its details show. The
 * limits are 10 s for the ledger and 100 ms for the statistics. `npm run bench -- messages send` sends one (bench/sending.ts).
 */
import { sql } from 'kysely'
import { getMessageStats, recipientParts } from '../app/pages/message-details.server.ts'
import { listMessageRecipients } from '../app/services/announcements/details.server.ts'
import { prepareMessage } from '../app/services/announcements/prepare-message.server.ts'
import { getAnnouncementToEdit } from '../app/services/announcements/read-announcement.server.ts'
import { type Ctx, siteContext } from '../app/services/context.ts'
import { getSite } from '../app/services/sites/sites.server.ts'
import { createDatabase } from '../db/client.server.ts'
import { benchLog } from './measure.ts'
import type { Product } from './product.ts'
import { seedBench } from './seed.ts'

const size = { users: 100_000, modules: 1, statements: 1 }
const times = 12

export async function benchMessages(product: Product): Promise<void> {
  console.log(`Writing ${size.users} users …`)
  await seedBench(product.databaseUrl, size)
  const { db, pool } = createDatabase({ connectionString: product.databaseUrl, poolSize: 4 })
  try {
    const ctx = siteContext({ db, site: await getSite(db, 'institutional'), isOperator: true, log: benchLog })
    const { id, uid } = await aMessage(ctx)
    await sql`
      update announcements set sending = 'preparing', send_at = now(), started_at = now() where id = ${id}`.execute(db)
    const startedAt = Date.now()
    await prepareMessage(ctx, { announcementUid: uid })
    console.log(`ledger: ${Date.now() - startedAt} ms, ${megabytes()} MB`)
    // Nothing is to be sent here. The state of the mails is written as a sender would leave it.
    await sql`update announcements set sending = 'done', status = 'sent', sent_at = now() where uid = ${uid}`.execute(
      db,
    )
    await writeOutcomes(ctx, uid)
    const announcementUid = uid
    const message = await getAnnouncementToEdit(ctx, { announcementUid })
    await report('tab "Stats"', () => getMessageStats(ctx, message))
    for (const query of [{}, { search: 'number 77777' }, { page: 4000 }]) {
      const name = `tab "Recipients" ${JSON.stringify(query)}`
      await report(name, () => listMessageRecipients(ctx, { announcementUid, ...query }))
    }
    const before = megabytes()
    const fileAt = Date.now()
    let [rows, most] = [0, before]
    for await (const part of recipientParts(ctx, uid)) {
      rows += part.length
      most = Math.max(most, megabytes())
    }
    console.log(
      `file of recipients: ${rows} rows in ${Date.now() - fileAt} ms, ${before} MB before, ${most} MB at most`,
    )
  } finally {
    await pool.end()
  }
}

/** A message by email to everybody, which is not sent yet. */
export async function aMessage(ctx: Ctx): Promise<{ id: number; uid: string }> {
  const { rows } = await sql<{ id: number; uid: string }>`
    insert into announcements (site_id, name, subject, text, from_field, delivery_type)
    values (${ctx.site.id}, 'Bench', 'Bench', 'Hello {{first name}}, read [this](https://a.example/).', 'Titrate', 'email')
    returning id, uid`.execute(ctx.db)
  const message = rows[0] as { id: number; uid: string }
  await sql`
    insert into announcement_recipients (site_id, announcement_id, user_id, channel, state)
    select site_id, ${message.id}, id, 'email', 'draft' from users where email like 'bench%'`.execute(ctx.db)
  return message
}

async function writeOutcomes(ctx: Ctx, uid: string): Promise<void> {
  const own = sql`announcement_id = (select id from announcements where uid = ${uid})`
  await sql`
    update mails set attempts = 1, tried_at = now(), ended_at = now(), is_tracked = true, response = '250 OK',
      state = case when id % 50 = 0 then 'bounced' when id % 51 = 0 then 'refused' else 'accepted' end
    where ${own}`.execute(ctx.db)
  await sql`
    update announcement_recipients set opened_at = now(), clicked_at = case when id % 6 = 0 then now() end
    where ${own} and id % 3 = 0`.execute(ctx.db)
  await sql`
    update announcement_recipients set machine_opened_at = now() where ${own} and id % 5 = 0`.execute(ctx.db)
  // As PostgreSQL does by itself about a minute after so many changes.
  await sql`vacuum analyze announcement_recipients`.execute(ctx.db)
  await sql`vacuum analyze mails`.execute(ctx.db)
}

/** The median and the slowest of several runs. */
async function report(name: string, work: () => Promise<unknown>): Promise<void> {
  const durations: number[] = []
  for (let time = 0; time < times; time++) {
    const startedAt = performance.now()
    await work()
    durations.push(performance.now() - startedAt)
  }
  durations.sort((one, other) => one - other)
  const [median = 0, slowest = 0] = [durations[Math.floor(times / 2)], durations.at(-1)]
  console.log(`${name}: ${median.toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms`)
}

function megabytes(): number {
  return Math.round(process.memoryUsage().rss / 1024 / 1024)
}
