/** The job that empties the ledger of old mails. */
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { clearOldMails } from '~/services/mail/clear-old-mails.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { aDraft } from '../support/messages.ts'
import { ctx, db } from '../support/test.ts'

const daysAgo = (days: number) => new Date(ctx.now.getTime() - days * 86_400_000)
let message: { id: number }

beforeEach(async () => {
  await sql`delete from mails`.execute(db)
  message = await aDraft(await aContext(db), { to: [await aUser(db)] })
})

type Own = { kind?: string; state?: string; endedAt?: Date | null; announcementId?: number | null; response?: string }

async function aMail({ kind = 'message', state = 'accepted', endedAt = daysAgo(401), ...own }: Own = {}) {
  const { announcementId = kind === 'message' ? message.id : null, response = '250 Ok' } = own
  await sql`
    insert into mails (
      site_id, kind, subject, state, address, address_key, name, response, announcement_id, created_at, ended_at)
    values (${ctx.site.id}, ${kind}, ${kind}, ${state}, 'a@b.example', 'a@b.example', 'Ada', ${response},
      ${announcementId}, ${daysAgo(500)}, ${endedAt})`.execute(db)
}

async function ledger() {
  const { rows } = await sql`
    select kind, state, address, address_key, name, subject, response from mails order by id`.execute(db)
  return rows
}

test('mails of messages keep row and state, others are deleted, and what is not old or not over stays', async () => {
  await aMail()
  await aMail({ state: 'refused', response: '550 a@b.example is unknown' })
  await aMail({ state: 'skipped', response: 'opted_out' })
  await aMail({ announcementId: null })
  for (const kind of ['account', 'reminder', 'report', 'test']) await aMail({ kind })
  await aMail({ endedAt: daysAgo(399) })
  await aMail({ kind: 'account', endedAt: daysAgo(399) })
  await aMail({ state: 'queued', endedAt: null })
  expect(await clearOldMails(ctx)).toEqual({ cleared: 3, deleted: 5 })
  const empty = { kind: 'message', address: null, address_key: null, name: null, subject: '', response: null }
  expect(await ledger()).toEqual([
    { ...empty, state: 'accepted' },
    { ...empty, state: 'refused' },
    { ...empty, state: 'skipped', response: 'opted_out' },
    expect.objectContaining({ kind: 'message', address: 'a@b.example', response: '250 Ok' }),
    expect.objectContaining({ kind: 'account', address: 'a@b.example' }),
    expect.objectContaining({ state: 'queued', address: 'a@b.example' }),
  ])
  expect(await clearOldMails(ctx)).toEqual({ cleared: 0, deleted: 0 })
})

test('it works in batches, goes on after it was stopped, and ten at once do it once', async () => {
  for (let count = 0; count < 7; count += 1) await aMail({ kind: count % 2 === 0 ? 'account' : 'message' })
  expect(await clearOldMails(ctx, { signal: AbortSignal.abort() })).toEqual({ cleared: 0, deleted: 0 })
  const runs = await Promise.all(Array.from({ length: 10 }, () => clearOldMails(ctx, { most: 2 })))
  const again = await clearOldMails(ctx, { most: 2 })
  const sum = (of: 'cleared' | 'deleted') => [...runs, again].reduce((total, run) => total + run[of], 0)
  expect([sum('cleared'), sum('deleted')]).toEqual([3, 4])
  expect(await ledger()).toHaveLength(3)
})
