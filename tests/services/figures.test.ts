/** What has been counted for reports against the rows that it counts. */
import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { recordSignIn } from '~/services/accounts/sign-ins.server.ts'
import type { Ctx } from '~/services/context.ts'
import { rebuildFigures, renewFigures } from '~/services/figures/figures.server.ts'
import { getReportPage, openReport } from '~/services/reports/reports.server.ts'
import { recordVisit } from '~/services/sessions/sessions.server.ts'
import { getSiteSettings, updateSiteSettings } from '~/services/settings/settings.server.ts'
import { randomOf } from '../../bench/lrs-statements.ts'
import { aPerson, type Person } from '../support/attempts.ts'
import { aModule } from '../support/cmi5.ts'
import { erase } from '../support/context.ts'
import { takeJobs } from '../support/jobs.ts'
import { rounds } from '../support/long.ts'
import { ctx, db, site } from '../support/test.ts'

const zone = 'America/New_York'
let admin: Ctx
let people: Person[]
let moduleIds: number[]

beforeAll(async () => {
  await db.updateTable('sites').set({ time_zone: zone }).where('id', '=', site.id).execute()
  const own = { ...site, timeZone: zone }
  admin = { ...(await aPerson(db, { groups: ['admins'], plan: null })), now: new Date('2026-11-18T15:00:00Z') }
  admin = { ...admin, site: own }
  people = [await aPerson(db), await aPerson(db, { firstName: 'Ben' }), await aPerson(db, { firstName: 'Cem' })]
  moduleIds = [(await aModule(ctx)).id, (await aModule(ctx)).id, (await aModule(ctx)).id]
})

beforeEach(async () => {
  await sql`delete from logins`.execute(db)
  await sql`delete from visits`.execute(db)
  await sql`delete from module_progress`.execute(db)
  await rebuildFigures(admin)
})

type Counted = Record<string, number | Date | null>

/** Everything that says something: a row of zeros is the same as none. */
async function counted(): Promise<Counted[]> {
  const { rows } = await sql<Counted>`
    select user_id, year, logins, first_login_at, last_login_at, sessions, session_seconds, modules_started,
      modules_completed
    from person_years
    where site_id = ${site.id} and logins + sessions + modules_started + modules_completed > 0
    order by user_id, year`.execute(db)
  return rows
}

async function expectCounted(): Promise<Counted[]> {
  const kept = await counted()
  await rebuildFigures(admin)
  expect(kept).toEqual(await counted())
  return kept
}

const login = (person: Person, time: Date) => recordSignIn({ ...person, now: time }, { userUid: person.viewer.uid })
const visit = (person: Person, now: Date) => recordVisit(db, { viewer: person.viewer, now })
const start = (person: Person, moduleId: number, startedAt: Date, completedAt: Date | null) =>
  sql`
    insert into module_progress as p (user_id, module_id, site_id, started_at, completed_at)
    values (${person.viewer.id}, ${moduleId}, ${site.id}, ${startedAt}, ${completedAt})
    on conflict (user_id, module_id) do update set
      started_at = least(p.started_at, excluded.started_at), progress_percent = p.progress_percent,
      completed_at = coalesce(p.completed_at, excluded.completed_at)`.execute(db)

/** The ends of years, and the days on which the clocks of the zone change. */
const moments = [
  '2025-01-01T05:00:00Z',
  '2025-03-09T07:00:00Z',
  '2025-11-02T06:00:00Z',
  '2026-01-01T05:00:00Z',
  '2026-03-08T07:00:00Z',
  '2026-11-01T06:00:00Z',
]

test('C-243 random logins, sessions and modules, around the ends of years and on days of 23 and 25 hours', async () => {
  const random = randomOf(42)
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T
  const near = () => new Date(Date.parse(pick(moments)) + Math.floor((random() - 0.5) * 2 * 3 * 3_600_000))
  for (let turn = 0; turn < rounds(1500); turn++) {
    const person = pick(people)
    const at = near()
    const kind = random()
    if (kind < 0.3) await login(person, at)
    else if (kind < 0.6) await visit(person, at)
    else if (kind < 0.85) await start(person, pick(moduleIds), at, random() < 0.5 ? new Date(+at + 5e6) : null)
    else if (kind < 0.9) await sql`delete from module_progress where user_id = ${person.viewer.id}`.execute(db)
    else if (kind < 0.95) {
      await sql`
        delete from visits where id in (select id from visits where user_id = ${person.viewer.id} limit 1)`.execute(db)
    } else {
      await sql`
        delete from logins where id in (select id from logins where user_id = ${person.viewer.id} limit 1)`.execute(db)
    }
  }
  expect((await expectCounted()).length).toBeGreaterThan(6)
  await expectSameReports()
})

/**
 * The reports from what has been counted and from every row are the same, on the screen and in the file, also as of a day
 * after which more was counted.
 */
async function expectSameReports(): Promise<void> {
  const paths = [
    'logins/total',
    'logins/avg_time_between_logins',
    'sessions/averages',
    'modules/started_completed',
    'modules/time_to_complete/avg',
  ]
  for (const path of paths) {
    for (const aggregateBy of ['', 'Institution', 'Position', 'Group']) {
      for (const period of ['all_time', 'this_year']) {
        for (const on of ['2026-11-18', '2026-10-31']) {
          const question = { period, aggregateBy, compare: 'previous', on }
          const read = async () => {
            const { lines, totals, count, before, chart } = await getReportPage(admin, { path, question })
            const rows = []
            for await (const part of (await openReport(admin, { path, question })).parts) rows.push(...part)
            return { lines, totals, count, before, chart, rows }
          }
          const fast = await read()
          await sql`update sites set figures_zone = 'UTC' where id = ${site.id}`.execute(db)
          expect(fast, `${path} ${period} on ${on} by ${aggregateBy}`).toEqual(await read())
          await sql`update sites set figures_zone = ${zone} where id = ${site.id}`.execute(db)
        }
      }
    }
  }
}

test('C-243 ten at once, and a rebuild in the middle: everything is counted once', async () => {
  const [person] = people as [Person]
  const at = new Date('2026-01-01T04:59:59Z')
  await Promise.all(
    Array.from({ length: 10 }, (_, index) => [
      login(person, new Date(+at + index * 1000)),
      visit(person, new Date(+at + index * 600_000)),
      start(person, moduleIds[index % 3] ?? 0, at, new Date(+at + index * 1000)),
      ...(index === 5 ? [rebuildFigures(admin)] : []),
    ]).flat(),
  )
  const rows = await expectCounted()
  expect(rows.map(({ year, logins, modules_started: started }) => [year, logins, started])).toEqual([
    [0, 10, 3],
    [2025, 1, 3],
    [2026, 9, 0],
  ])
})

test('C-243 another time zone of the site: the years are counted again, and until then from every row', async () => {
  const [person] = people as [Person]
  await login(person, new Date('2026-01-01T04:59:59Z'))
  await takeJobs(db, 'renew-figures')
  const { state } = await getSiteSettings(admin)
  await updateSiteSettings(admin, { ...state, timeZone: 'UTC' })
  expect(await takeJobs(db, 'renew-figures')).toHaveLength(1)
  const inUtc = { ...admin, site: { ...admin.site, timeZone: 'UTC' } }
  const logins = async () =>
    (await getReportPage(inUtc, { path: 'logins/total', question: { period: 'this_year' } })).totals[0]?.value
  expect(await logins()).toBe(1)
  expect(await renewFigures(inUtc)).toBe(true)
  expect(await renewFigures(inUtc), 'again').toBe(false)
  expect((await counted()).map(({ year }) => year)).toEqual([0, 2026])
  expect(await logins()).toBe(1)
  await updateSiteSettings(admin, { ...state, timeZone: zone })
  await renewFigures(admin)
})

test('C-243 who was erased is counted without a name, and an account that is removed takes its figures along', async () => {
  const gone = await aPerson(db, { firstName: 'Secret' })
  await login(gone, new Date('2026-10-10T12:00:00Z'))
  await visit(gone, new Date('2026-10-10T12:00:00Z'))
  await start(gone, moduleIds[0] ?? 0, new Date('2026-10-10T12:00:00Z'), null)
  await erase(db, gone.viewer)
  const { lines } = await getReportPage(admin, { path: 'logins/total', question: { period: 'all_time' } })
  expect(lines.map((line) => line.map(({ value }) => value))).toEqual([['Deleted user', null, 1]])
  await expectCounted()
  await db.deleteFrom('users').where('id', '=', gone.viewer.id).execute()
  expect(await expectCounted()).toEqual([])
})

test('C-243 a login after the period is not in it', async () => {
  const [person] = people as [Person]
  await login(person, new Date('2026-11-18T12:00:00Z'))
  await login(person, new Date('2026-11-19T12:00:00Z'))
  for (const period of ['all_time', 'this_year']) {
    const { totals } = await getReportPage(admin, { path: 'logins/total', question: { period } })
    expect(totals[0]?.value, period).toBe(1)
  }
})
