/** Few reports are read at once, so that the connections of a process are not all taken by them (decision 047). */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readForPage } from '~/services/reports/report-cells.server.ts'
import { openReport } from '~/services/reports/reports.server.ts'
import { aContext, aUser } from '../support/context.ts'
import { db } from '../support/test.ts'

const admin = await aContext(db, { viewer: await aUser(db, { groups: ['admins'], plan: null }) })

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
  const open = async (signal?: AbortSignal) => (await openReport(admin, { ...asked, signal })).parts
  const running = await Promise.all([open(), open(), open()])
  for (const parts of running) await parts.next()
  const waiting = await Promise.all(
    Array.from({ length: 6 }, (_, index) => open(index === 0 ? gone.signal : undefined)),
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
