/**
 * The year of activity in a demo: the same figures every time, even after interruptions, and only from real statements.
 */
import { sql } from 'kysely'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { recordSignIn } from '~/services/accounts/sign-ins.server.ts'
import { listOwnAnnouncements } from '~/services/announcements/announcements.server.ts'
import { listOwnAssignments } from '~/services/assignments/assignments.server.ts'
import { endIdleLaunches, rebuildProgress } from '~/services/cmi5/cmi5.server.ts'
import type { Ctx, Viewer } from '~/services/context.ts'
import { getFavorites } from '~/services/favorites/favorites.server.ts'
import { listModuleFigures } from '~/services/modules/statistics.server.ts'
import { listOwnModules } from '~/services/progress/progress.server.ts'
import { getOwnLearning } from '~/services/read/own-learning.server.ts'
import { getReportPage } from '~/services/reports/reports.server.ts'
import { listSavedViews } from '~/services/reports/saved-views.server.ts'
import { listScheduledReports } from '~/services/reports/scheduled-reports.server.ts'
import { findViewer, recordVisit } from '~/services/sessions/sessions.server.ts'
import type { Database } from '~db/client.server.ts'
import { isActivityDue, seedActivity } from '../../seed/activity/activity.ts'
import type { DemoPerson } from '../../seed/activity/people.ts'
import { people } from '../../seed/activity/people.ts'
import { sittingsOf } from '../../seed/activity/plan.ts'
import { aContext, openTestDatabase } from '../support/context.ts'
import { freshDatabase } from '../support/database.ts'
import { aDemo } from '../support/demo.ts'
import { aStorage } from '../support/packages.ts'
import { cloneDatabase, dropDatabase } from '../support/test-postgres.ts'

const today = new Date('2026-11-20T00:00:00Z')
const begunAt = new Date()

/** One person of each state: closed, with an expired plan, without a plan, invited, and two who learn. */
const chosen = ['bartosz.wieczorek', 'henrik.aalto', 'diego.almonte', 'emeka.obi', 'zainab.qureshi', 'instructor']
const few = { sites: ['institutional' as const], takesPart: ({ name }: DemoPerson) => chosen.includes(name) }

aStorage()
const template = await freshDatabase()
const prepared = await openTestDatabase(template)
await aDemo(prepared.db, today, few.sites)
await prepared.close()

const whole = await aCopy()
await seedActivity(whole, few)
const ctx = await aContext(whole, { isOperator: true, now: today })
const ada = await viewerOf('learner')

async function aCopy(): Promise<Database> {
  const url = await cloneDatabase(template)
  const { db, close } = await openTestDatabase(url)
  afterAll(async () => {
    await close()
    await dropDatabase(url)
  })
  return db
}

async function viewerOf(name: string): Promise<Ctx & { viewer: Viewer }> {
  const { id } = await whole
    .selectFrom('users')
    .select('id')
    .where('email', '=', `${name}@titrate.example`)
    .executeTakeFirstOrThrow()
  const viewer = await findViewer(ctx, { userId: id })
  if (!viewer) throw new Error(`${name} may not sign in`)
  return { ...ctx, isOperator: false, viewer }
}

/**
 * All figures, without random ids. Launches that never got their visit are left out, with their statements: a start
 * that is cut off leaves them behind.
 */
async function figuresOf(db: Database): Promise<unknown> {
  const { rows } = await sql`
    select u.email, u.is_active, u.joined_at, u.last_viewed_module_id is not null as has_viewed,
      (select json_agg(at order by at) from logins where user_id = u.id and at < ${today}) as logins,
      (select json_agg(v order by v) from (select started_at, last_seen_at from visits where user_id = u.id and started_at < ${today}) v) as visits,
      (select json_agg(p order by p) from (
        select m.name, started_at, last_visited_at, progress_percent, highest_score, completed_at
        from module_progress join modules m on m.id = module_id where user_id = u.id) p) as modules,
      (select json_agg(p order by p) from (
        select c.name, started_at, completed_at from course_progress join courses c on c.id = course_id where user_id = u.id) p) as courses,
      (select json_agg(p order by p) from (
        select question, is_correct, answered_at from question_answers where user_id = u.id) p) as answers,
      (select json_agg(p order by p) from (
        select verb_id, occurred_at from xapi_statements s join registrations r on r.uid = s.registration
        left join launch_sessions l on l.id = s.launch_session_id
        where r.user_id = u.id and l.abandoned_at is null) p) as statements,
      (select json_agg(p order by p) from (
        select launched_at, initialized_at, terminated_at from launch_sessions s join registrations r on r.id = s.registration_id
        where r.user_id = u.id and abandoned_at is null) p) as launches,
      (select json_agg(e order by e) from (select at, name from events where user_id = u.id) e) as events,
      (select json_agg(e order by e) from (
        select started_at, title, seconds, max_percent from video_plays where user_id = u.id) e) as plays,
      (select json_agg(e order by e) from (select at, query from search_queries where user_id = u.id) e) as searches,
      (select json_agg(f order by f) from (select created_at from favorites where user_id = u.id) f) as favorites,
      (select json_agg(f order by f) from (
        select a.subject, opened_at, clicked_at from announcement_recipients join announcements a on a.id = announcement_id
        where user_id = u.id and opened_at < ${today}) f) as messages,
      (select count(*) from course_assignments where user_id = u.id) as assigned,
      (select json_agg(s) from (select type, valid_from, valid_to from subscriptions where user_id = u.id) s) as plan
    from users u where u.email like '%titrate.example' order by u.email`.execute(db)
  return rows
}

test('a demo that was interrupted at every step ends with the same figures, and sign-ins meanwhile change nothing', async () => {
  const db = await aCopy()
  // Simulates another process: a process caches ids of what statements name, and this is another database.
  vi.resetModules()
  const { seedActivity } = await import('../../seed/activity/activity.ts')
  const { insideTransaction } = await import('~db/client.server.ts')
  /** Lets each start take a few more steps than the one before, so that every kind of step is once the last. */
  const signalOf = (steps: number) => {
    let left = steps
    return {
      get aborted() {
        left--
        return left < 0
      },
    }
  }
  let endedLaunches = 0
  let queries = 0
  // As the worker does every ten minutes, here between two steps. To it, a launch of the demo has been idle for months.
  const busy = db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (!insideTransaction.getStore() && ++queries % 29 === 0)
        endedLaunches += await endIdleLaunches(await aContext(db))
      return result
    },
  })
  let starts = 1
  for (; !(await seedActivity(busy, { ...few, signal: signalOf(starts * 7) })); starts++) {
    const { id, uid } = await db
      .selectFrom('users')
      .select(['id', 'uid'])
      .where('email', '=', 'instructor@titrate.example')
      .executeTakeFirstOrThrow()
    const now = await aContext(db)
    if (starts === 3) await recordSignIn(now, { userUid: uid })
    if (starts === 3) await recordVisit(db, { viewer: { id, siteId: now.site.id }, now: now.now })
  }
  expect(starts).toBeGreaterThan(4)
  expect(endedLaunches).toBeGreaterThan(0)
  expect(await figuresOf(db)).toEqual(await figuresOf(whole))
})

test('a complete demo stays as it is', async () => {
  const before = await figuresOf(whole)
  expect(await isActivityDue(whole)).toBe(false)
  await seedActivity(whole, few)
  expect(await figuresOf(whole)).toEqual(before)
})

test('the events are in the past, and they are stored now', async () => {
  const { rows } = await sql<{ occurredAt: Date; body: string }>`
    select occurred_at as "occurredAt", body from xapi_statements`.execute(whole)
  expect(rows.length).toBeGreaterThan(300)
  for (const { occurredAt, body } of rows) {
    const { timestamp, stored } = JSON.parse(body)
    expect(occurredAt < today && occurredAt.getTime() > today.getTime() - 400 * 86_400_000).toBe(true)
    expect(new Date(timestamp)).toEqual(occurredAt)
    expect(new Date(stored) >= begunAt).toBe(true)
  }
})

test('progress that is recomputed from the statements has the same times', async () => {
  const before = await figuresOf(whole)
  await rebuildProgress({ db: whole, now: new Date(), log: ctx.log })
  expect(await figuresOf(whole)).toEqual(before)
})

describe('the demo learner', () => {
  test('has modules in progress and completed, with scores', async () => {
    const completed = await listOwnModules(ada, { state: 'completed' })
    const inProgress = await listOwnModules(ada, { state: 'in_progress' })
    expect([completed.items.length, inProgress.items.length]).toEqual([7, 3])
    expect(completed.items.every(({ highestScore }) => highestScore !== null && highestScore >= 60)).toBe(true)
    for (const { percent } of inProgress.items) expect(percent).toBeGreaterThan(0)
    const times = [...completed.items, ...inProgress.items].map(({ startedAt }) => startedAt.getTime())
    expect(new Set(times.map((time) => Math.floor(time / 86_400_000))).size).toBe(10)
  })

  test('has totals for the dials, and completed and other courses', async () => {
    const { percent, inProgressCount, completedCount, unreadCount } = await getOwnLearning(ada)
    expect(percent).toBeGreaterThan(50)
    expect(percent).toBeLessThan(100)
    expect([inProgressCount > 3, completedCount > 7]).toEqual([true, true])
    expect(unreadCount).toBe(3)
    const { rows } = await sql`
      select c.name, completed_at is not null as done from course_progress p join courses c on c.id = p.course_id
      where user_id = ${ada.viewer.id} and completed_at is not null order by 1`.execute(whole)
    expect(rows).toEqual([
      { name: 'Foundations of Target Discovery', done: true },
      { name: 'Reading Assay Data', done: true },
    ])
  })

  test('has assignments, favorites of every kind, and read, unread and pinned messages', async () => {
    const { items } = await listOwnAssignments(ada, { page: 1, size: 20 })
    expect(items.map(({ kind }) => kind).sort()).toEqual([...Array(3).fill('course'), ...Array(4).fill('module')])
    expect(items.every(({ hasAccess }) => hasAccess)).toBe(true)
    const { moduleUids, courseUids, videoUids, lectureUids } = await getFavorites(ada)
    expect([moduleUids, courseUids, videoUids, lectureUids].map(({ length }) => length)).toEqual([2, 1, 1, 1])
    const messages = await listOwnAnnouncements({ ...ada, now: new Date() })
    expect(messages.total).toBe(7)
    expect(messages.items.filter(({ pinnedAt }) => pinnedAt !== null)).toHaveLength(1)
  })
})

test('the console has starts, completions and scores', async () => {
  const { rows } = await sql<{
    uid: string
  }>`select distinct m.uid from module_progress p join modules m on m.id = p.module_id`.execute(whole)
  const figures = [
    ...(
      await listModuleFigures(
        ctx,
        rows.map(({ uid }) => uid),
      )
    ).values(),
  ]
  expect(figures.length).toBeGreaterThan(10)
  expect(figures.reduce((sum, { numCompletions }) => sum + numCompletions, 0)).toBeGreaterThan(10)
  for (const { avgScore } of figures.filter(({ numCompletions }) => numCompletions > 0)) {
    expect(avgScore).toBeGreaterThan(20)
  }
})

test('an admin has saved views and a monthly report that was opened, and people answered a survey', async () => {
  const admin = await viewerOf('admin')
  const views = await listSavedViews(admin)
  expect(views.items.map(({ problem }) => problem)).toEqual([null, null])
  const reports = await listScheduledReports(admin)
  expect(reports.items).toMatchObject([{ state: 'active', last: { sent: 1, openedBy: ['Priya Raman'] } }])
  const survey = { path: 'modules/survey', question: { period: 'all_time' } }
  expect((await getReportPage(admin, survey)).count).toBeGreaterThan(0)
})

test('there are people of every state', async () => {
  const { rows } = await sql<{ name: string; state: string }>`
    select split_part(email, '@', 1) as name, case
      when exists (select from user_groups where user_id = users.id and name = 'pending_users') then 'invited'
      when not is_active then 'closed'
      when s.id is null then 'no plan'
      when s.valid_to < ${today} then 'expired' else 'active' end as state
    from users left join subscriptions s on s.user_id = users.id order by 1`.execute(whole)
  expect(Object.fromEntries(rows.map(({ name, state }) => [name, state]))).toMatchObject({
    'bartosz.wieczorek': 'closed',
    'henrik.aalto': 'expired',
    'diego.almonte': 'no plan',
    'emeka.obi': 'invited',
    'zainab.qureshi': 'active',
  })
})

test('nobody does anything before joining, after leaving or without a plan', async () => {
  const sources = new Map()
  for (const person of Object.values(people).flat()) {
    const { name, joined, lastSeen, planDays, plan, modules } = person
    expect(lastSeen === null || lastSeen < joined, name).toBe(true)
    if (planDays !== undefined) expect(joined - (lastSeen ?? 0), name).toBeLessThan(planDays)
    if (plan === 'none' || plan === 'free') expect(modules, name).toBe(0)
    const sittings = modules === 0 ? sittingsOf(person, sources, today) : []
    const times = sittings.map(({ at }) => at.getTime())
    expect(times, name).toEqual([...new Set(times)].sort((one, other) => one - other))
  }
})
