/** Starts and completions by month. */
import { expect, test } from 'vitest'
import { formatMonth } from '~/lib/dates.ts'
import { listModuleMonths } from '~/services/modules/statistics.server.ts'
import { aPerson } from '../support/attempts.ts'
import { aModule } from '../support/cmi5.ts'
import { aUser } from '../support/context.ts'
import { db, expectGuarded, site, ctx as system } from '../support/test.ts'

test('months are in the site’s time zone, include empty ones, and cover one module or all', async () => {
  const author = { ...(await aPerson(db, { groups: ['authors'] })), now: new Date('2026-03-15T12:00:00Z') }
  const inTokyo = { ...author, site: { ...site, timeZone: 'Asia/Tokyo' } }
  const [one, other] = [await aModule(system), await aModule(system)]
  const learn = async (module_id: number, started: string, completed: string | null) => {
    const { id: user_id } = await aUser(db)
    const moments = { started_at: new Date(started), completed_at: completed === null ? null : new Date(completed) }
    await db
      .insertInto('module_progress')
      .values({ site_id: site.id, module_id, user_id, ...moments })
      .execute()
  }
  await learn(one.id, '2026-01-31T20:00:00Z', '2026-03-01T00:00:00Z')
  await learn(one.id, '2025-12-31T10:00:00Z', null)
  await learn(other.id, '2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z')
  const months = async (ctx: typeof author, moduleUid?: string) =>
    (await listModuleMonths(ctx, { moduleUid, months: 3 })).map(({ month, starts, completions }) => [
      month,
      starts,
      completions,
    ])
  expect(await months(author, one.uid)).toEqual([
    ['2026-01', 1, 0],
    ['2026-02', 0, 0],
    ['2026-03', 0, 1],
  ])
  expect(await months(inTokyo, one.uid)).toEqual([
    ['2026-01', 0, 0],
    ['2026-02', 1, 0],
    ['2026-03', 0, 1],
  ])
  expect((await months(author)).at(-1)).toEqual(['2026-03', 1, 2])
  expect(formatMonth('2026-03')).toBe('Mar 2026')
  await expectGuarded(listModuleMonths, { months: 3 }, { by: ['authors', 'admins'], elsewhere: null })
})
