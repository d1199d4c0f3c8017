/** Few reports are read at once, so that the connections of a process are not all taken by them (decision 047). */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { env } from '~/config/env.server.ts'
import { readForPage } from '~/services/reports/report-cells.server.ts'
import { getReportPage, openReport } from '~/services/reports/reports.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { db } from '../support/test.ts'

// Four of the ten are for queries of pages, and three for files.
env().DATABASE_POOL_SIZE = 10
const anAdmin = async () => aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })
const [admin, other] = [await anAdmin(), await anAdmin()]

test('a page that PostgreSQL gives up is refused with a sentence', async () => {
  const reading = readForPage(admin, sql`select pg_sleep(30) as "a long page"`)
  const refused = expect(reading).rejects.toThrow('This page of the report takes too long at the moment.')
  const cancel = () =>
    sql`select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and query like '%a long page%' and pid <> pg_backend_pid()`.execute(db)
  await expect.poll(async () => (await cancel()).rows.length).toBe(1)
  await refused
})

test('queries of pages wait for each other, and too many are refused', async () => {
  const read = () => readForPage(admin, sql<{ done: boolean }>`select pg_sleep(0.05) is not null as done`)
  const results = await Promise.allSettled(Array.from({ length: 50 }, read))
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  expect(refused.length).toBe(6)
  for (const reason of refused) expect(reason).toMatchObject({ code: 'busy', retryAfter: 60 })
  await expect(read(), 'afterwards').resolves.toHaveLength(1)
})

test('three files are read at once, six wait, and who gives up makes room', async () => {
  const asked = { path: 'logins', question: { period: 'all_time' } }
  const gone = new AbortController()
  const open = async (signal?: AbortSignal, ctx = other) => (await openReport(ctx, { ...asked, signal })).parts
  const running = await Promise.all([open(undefined, admin), open(undefined, admin), open(undefined, admin)])
  for (const parts of running) await parts.next()
  const waiting = await Promise.all(
    Array.from({ length: 6 }, (_, index) => open(index === 0 ? gone.signal : undefined, index > 3 ? admin : other)),
  )
  const firsts = waiting.map((parts) => parts.next())
  const left = expect(firsts[0]).rejects.toThrow()
  await expect((await open()).next()).rejects.toThrow('Many files are being read right now.')
  gone.abort()
  await left
  const ninth = await open()
  const last = ninth.next()
  for (const parts of running) await parts.return(undefined)
  for (const [index, parts] of waiting.entries()) {
    if (index === 0) continue
    expect((await firsts[index])?.value?.[0]?.[0]).toBe('Logged in (UTC)')
    await parts.return(undefined)
  }
  expect((await last).done).toBe(false)
  await ninth.return(undefined)
})

test('one person takes only a part of the places for pages and files, and others are read meanwhile', async () => {
  const page = (ctx: typeof admin) =>
    getReportPage(ctx, { path: 'logins/total', question: { period: 'all_time', aggregateBy: 'Institution' } })
  const [own, others] = await Promise.all([
    Promise.allSettled(Array.from({ length: 12 }, () => page(admin))),
    Promise.allSettled(Array.from({ length: 3 }, () => page(other))),
  ])
  expect(own.map(({ status }) => status).sort()).toEqual([
    ...Array.from({ length: 8 }, () => 'fulfilled'),
    ...Array.from({ length: 4 }, () => 'rejected'),
  ])
  expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])

  const file = async (ctx: typeof admin) =>
    (await openReport(ctx, { path: 'logins', question: { period: 'all_time' } })).parts
  const files = await Promise.all(Array.from({ length: 5 }, () => file(admin)))
  const firsts = files.map((parts) => parts.next())
  await expect((await file(admin)).next()).rejects.toThrow('Many files are being read right now.')
  const another = await file(other)
  const first = another.next()
  for (const [index, parts] of files.entries()) {
    await firsts[index]
    await parts.return(undefined)
  }
  expect((await first).done).toBe(false)
  await another.return(undefined)
})
