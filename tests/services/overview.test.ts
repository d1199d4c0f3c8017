/** The overview for staff: each figure is that of the page that it leads to. */
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import type { OverviewFigure, OverviewView } from '~/components/console/overview/view.ts'
import { messagesTable } from '~/forms/announcement-tables.ts'
import { moduleLearnersTable } from '~/forms/module-tables.ts'
import { userTables } from '~/forms/user-tables.ts'
import { readTableQuery } from '~/lib/table-query.ts'
import { getMessageStats } from '~/pages/message-details.server.ts'
import { listLearnerRows } from '~/pages/module-report.server.ts'
import { getOverview, mostRows } from '~/pages/overview.server.ts'
import { getReportView } from '~/pages/report-view.server.ts'
import { listMessagesGoingOut } from '~/services/announcements/going-out.server.ts'
import { getAnnouncementToEdit } from '~/services/announcements/read-announcement.server.ts'
import { listMessagePage } from '~/services/announcements/table.server.ts'
import type { Ctx } from '~/services/context.ts'
import { ensureEventPartitions, recordSearch } from '~/services/events/events.server.ts'
import { addMailsOfMessage } from '~/services/mail/message-mails.server.ts'
import { listFailingModules } from '~/services/progress/failing-modules.server.ts'
import { listFirstLines, listReportFigures } from '~/services/reports/reports.server.ts'
import { countUsersFound, listUserPage } from '~/services/users/table.server.ts'
import { aPerson, type Person } from '../support/attempts.ts'
import { aModule, type TestModule, visit } from '../support/cmi5.ts'
import { aContext, aUser, erase } from '../support/context.ts'
import { aDraft } from '../support/messages.ts'
import { ctx, db, expectGuarded, site } from '../support/test.ts'

const now = new Date('2026-11-20T17:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)
const failed = ['failed', { score: { scaled: 0.2 } }] as [string, object]

let admin: Ctx
let author: Ctx
let people: Person[]
let hard: TestModule

beforeAll(async () => {
  admin = { ...(await aPerson(db, { groups: ['admins'], plan: null })), now }
  author = { ...(await aPerson(db, { groups: ['authors'] })), now }
  people = await Promise.all(['Ada', 'Ben', 'Cy', 'Di'].map((firstName) => aPerson(db, { firstName })))
  hard = await aModule(ctx, { name: 'Dose response', units: [{ moveOn: 'Passed', masteryScore: 0.6 }] })
})

const person = (index: number) => people[index] as Person
const forAdmin = async () => {
  const view = await getOverview(admin)
  return view.admins as NonNullable<OverviewView['admins']>
}
const values = (figures: OverviewFigure[]) => figures.map(({ label, value }) => [label, value])

/** The number that the page of an address shows for a figure. */
async function valueAt(to: string, label: string): Promise<string> {
  const { pathname, searchParams } = new URL(to, 'http://here.invalid')
  const [, section, ...rest] = pathname.split('/').filter(Boolean)
  const inWords = (value: number) => value.toLocaleString('en')
  if (section === 'reports') {
    const answer = await getReportView(admin, { id: rest[0] ?? '', params: searchParams })
    if (!('view' in answer)) throw new Error(`${to} is refused`)
    const wanted = label === 'People with a session' ? 'People' : label === 'Quiz answers' ? 'Answers' : label
    return answer.view.figures.find((figure) => figure.label === wanted)?.value ?? `${to} does not show it`
  }
  if (section === 'users') {
    const { total } = await listUserPage(admin, {
      tab: 'learners',
      ...readTableQuery(searchParams, userTables.learners),
    })
    return inWords(total ?? -1)
  }
  if (section === 'messages') {
    return inWords((await listMessagePage(admin, readTableQuery(searchParams, messagesTable))).total)
  }
  const query = readTableQuery(searchParams, moduleLearnersTable)
  return inWords((await listLearnerRows(admin, { moduleUid: rest[0] ?? '', ...query })).total)
}

async function expectEqualToPages(figures: OverviewFigure[]): Promise<void> {
  for (const { label, to, value } of figures) expect(await valueAt(to, label), `${label}: ${to}`).toBe(value)
}

test('without data every figure is zero, and every list is empty', async () => {
  const other = { ...(await aPerson(db, { groups: ['admins'], site: 'ns', plan: null })), now }
  const { admins, failing } = await getOverview(other)
  expect(failing.rows).toEqual([])
  const figures = [...(admins?.lastDays ?? []), ...(admins?.toDo ?? []), ...(admins?.messages?.figures ?? [])]
  expect(figures.map(({ value }) => value)).toEqual(Array(12).fill('0'))
  expect(figures[3]?.note).toBe(null)
  expect([admins?.messages?.rows, admins?.searches.rows]).toEqual([[], []])
})

describe('the last seven days', () => {
  beforeAll(async () => {
    const visits = [
      [person(0), 0, 10],
      [person(0), 2, 10],
      [person(1), 6, 10],
      [person(2), 8, 10],
    ] as const
    for (const [one, days, minutes] of visits) {
      await sql`
        insert into visits (site_id, user_id, started_at, last_seen_at)
        values (${site.id}, ${one.viewer.id}, ${daysAgo(days)}, ${new Date(daysAgo(days).getTime() + minutes * 60_000)})`.execute(
        db,
      )
    }
    const [started, completed] = [await aModule(ctx), await aModule(ctx)]
    await sql`
      insert into module_progress (site_id, user_id, module_id, started_at, last_visited_at, completed_at) values
        (${site.id}, ${person(0).viewer.id}, ${started.id}, ${daysAgo(1)}, ${daysAgo(1)}, null),
        (${site.id}, ${person(0).viewer.id}, ${completed.id}, ${daysAgo(30)}, ${daysAgo(2)}, ${daysAgo(2)}),
        (${site.id}, ${person(1).viewer.id}, ${completed.id}, ${daysAgo(9)}, ${daysAgo(9)}, ${daysAgo(9)})`.execute(db)
    await sql`
      insert into question_answers (seq, site_id, user_id, kind, question_iri, response, is_correct, answered_at) values
        (1, ${site.id}, ${person(0).viewer.id}, 'quiz', 'https://q.example/1', 'A', true, ${daysAgo(1)}),
        (2, ${site.id}, ${person(0).viewer.id}, 'quiz', 'https://q.example/1', 'B', false, ${daysAgo(1)}),
        (3, ${site.id}, ${person(1).viewer.id}, 'quiz', 'https://q.example/1', 'A', true, ${daysAgo(2)}),
        (4, ${site.id}, ${person(1).viewer.id}, 'survey', 'https://q.example/2', 'C', null, ${daysAgo(2)}),
        (5, ${site.id}, ${person(1).viewer.id}, 'quiz', 'https://q.example/1', 'A', true, ${daysAgo(20)})`.execute(db)
    const search = (query: string, results: number, days: number) =>
      recordSearch({ ...person(0), now: daysAgo(days) }, { query, type: 'all', results })
    await ensureEventPartitions(admin)
    await search('assay', 3, 1)
    await search('<script>alert(1)</script>', 0, 1)
    await search('=HYPERLINK("x")', 0, 1)
    await search('=hyperlink("x") ', 0, 2)
    await search('assay', 0, 15)
  })

  test('C-240 C-246 each figure is the total of its report, and its link shows it', async () => {
    const { lastDays, days } = await forAdmin()
    expect(days).toBe('Nov 14, 2026 to Nov 20, 2026')
    expect(values(lastDays)).toEqual([
      ['People with a session', '2'],
      ['Modules started', '1'],
      ['Modules completed', '1'],
      ['Quiz answers', '3'],
      ['Searches without results', '3'],
    ])
    expect(lastDays.map(({ note }) => note)).toEqual([null, null, null, '2 correct (67%)', 'Of 4'])
    await expectEqualToPages(lastDays)
  })

  test('C-243 the searches that found nothing are those of the report, most frequent first', async () => {
    const { searches } = await forAdmin()
    expect(searches.rows).toEqual([
      { term: '=hyperlink("x")', without: '2', searches: '2' },
      { term: '<script>alert(1)</script>', without: '1', searches: '1' },
    ])
    const { searchParams } = new URL(searches.to, 'http://here.invalid')
    const answer = await getReportView(admin, { id: 'search-terms', params: searchParams })
    const lines = 'view' in answer ? answer.view.lines.map((line) => line.map(({ text }) => text)) : []
    expect(lines.slice(0, 2)).toEqual(
      searches.rows.map(({ term, without, searches }) => [term, searches, '1', without]),
    )
  })
})

test('who is late, who is due and whose access ends are counted as the table of users does', async () => {
  const due = [
    [person(0), '2026-10-21'],
    [person(3), '2026-10-20'],
    [person(1), '2026-11-19'],
    [person(1), '2026-11-25'],
    [person(2), '2026-12-24'],
  ] as const
  for (const [one, day] of due) {
    const module = await aModule(ctx)
    await sql`
      insert into module_assignments (site_id, user_id, module_id, due_on)
      values (${site.id}, ${one.viewer.id}, ${module.id}, ${day}::date)`.execute(db)
  }
  for (const days of [29, 31, -1]) {
    const { viewer } = await aPerson(db)
    await sql`update subscriptions set valid_to = ${daysAgo(-days)} where user_id = ${viewer.id}`.execute(db)
  }
  const { toDo } = await forAdmin()
  expect(toDo.map(({ value }) => value)).toEqual(['2', '1', '1'])
  await expectEqualToPages(toDo)
  const { items } = await listUserPage(admin, { tab: 'learners', filters: { due: ['late'] }, size: 20 })
  expect(items.filter(({ isLateBy30 }) => isLateBy30)).toHaveLength(2)
  expect(items).toHaveLength(3)
})

describe('modules that learners are failing', () => {
  const launch = () => ({ moduleVersionUid: hard.versionUid })

  /** Somebody fails the test of a module so many days ago. */
  async function fails(one: Person, module: TestModule, days: number, more = {}): Promise<void> {
    await visit(one, { moduleVersionUid: module.versionUid, ...more }, failed)
    await sql`
      update registration_units unit set failed_at = ${daysAgo(days)} from registrations attempt
      where attempt.id = unit.registration_id and attempt.user_id = ${one.viewer.id}
        and attempt.module_id = ${module.id} and unit.failed_at is not null`.execute(db)
  }

  test('lists modules by the learners who failed a test that they must pass, as the report does', async () => {
    const easy = await aModule(ctx, { name: 'Assays', units: [{ moveOn: 'Passed' }, { moveOn: 'Completed' }] })
    const optional = await aModule(ctx, { name: 'Optional', units: [{ moveOn: 'Completed' }] })
    for (const index of [0, 1, 2]) await fails(person(index), hard, 3)
    await fails(person(0), easy, 29)
    await fails(person(0), optional, 3)
    // Who passes later, who failed long ago, who was waived and who was erased are not failing.
    await visit(person(2), launch(), ['passed', { score: { scaled: 0.9 } }])
    const [waived, early, gone] = await Promise.all([aPerson(db), aPerson(db), aPerson(db)])
    await fails(waived, hard, 3)
    await db
      .updateTable('registration_units')
      .set({ waived_at: now, waive_reason: 'Administrative' })
      .where('registration_id', 'in', (eb) =>
        eb.selectFrom('registrations').select('id').where('user_id', '=', waived.viewer.id),
      )
      .execute()
    await fails(early, hard, 31)
    await fails(gone, hard, 3)
    await erase(db, gone.viewer)

    const { failing } = await getOverview(admin)
    expect(failing.rows.map(({ name, learners }) => [name, learners])).toEqual([
      ['Dose response', '2'],
      ['Assays', '1'],
    ])
    for (const { to, learners } of failing.rows) expect(await valueAt(to, '')).toBe(learners)
    const { rows } = await listLearnerRows(author, { moduleUid: hard.uid })
    const flags = rows.filter(({ isFailing }) => isFailing).map(({ uid }) => uid)
    expect(new Set(flags)).toEqual(new Set([person(0).viewer.uid, person(1).viewer.uid]))
  })

  test('who completed the module before and fails while retaking it is not failing', async () => {
    const learner = await aPerson(db)
    await visit(learner, launch(), ['passed', { score: { scaled: 0.9 } }])
    await fails(learner, hard, 2, { retake: true })
    const { failing } = await getOverview(admin)
    expect(failing.rows[0]?.learners).toBe('2')
    expect(await valueAt(failing.rows[0]?.to ?? '', '')).toBe('2')
  })

  test('lists five modules at most, whatever their names are, and none that was deleted', async () => {
    const learners = [person(0), person(1), person(3)]
    const names = ['x'.repeat(200), '<script>alert(1)</script>', '‮gnp.exe', 'Deleted', 'E', 'F']
    for (const name of names) {
      const module = await aModule(ctx, { name, units: [{ moveOn: 'Passed' }] })
      for (const one of learners) await fails(one, module, 1)
      if (name === 'Deleted') await sql`update modules set deleted_at = ${now} where id = ${module.id}`.execute(db)
    }
    const { failing } = await getOverview(admin)
    expect(failing.rows).toHaveLength(mostRows)
    expect(failing.rows.map(({ name }) => name)).not.toContain('Deleted')
    for (const { to, learners } of failing.rows) expect(await valueAt(to, '')).toBe(learners)
  })
})

describe('messages going out', () => {
  async function aMessage(subject: string, sending: string, more: { sendAt?: Date; status?: string } = {}) {
    const message = await aDraft(admin, { subject, to: [person(0).viewer, person(1).viewer] })
    await sql`
      update announcements set sending = ${sending}, send_at = ${more.sendAt ?? now}, status = ${more.status ?? 'draft'},
        sent_at = case when ${more.status ?? 'draft'} = 'sent' then ${now}::timestamptz end
      where id = ${message.id}`.execute(db)
    return message
  }

  test('counts messages as their table does, and lists first those that wait for somebody', async () => {
    await aMessage('Tomorrow', 'scheduled', { sendAt: daysAgo(-1) })
    await aMessage('Next week', 'scheduled', { sendAt: daysAgo(-7) })
    await aMessage('Late', 'late', { sendAt: daysAgo(1) })
    await aMessage('Stopped', 'stopped', { status: 'sent' })
    await aMessage('Begins', 'preparing')
    await aMessage('Runs', 'sending', { status: 'sent' })
    await aMessage('Sent', 'done', { status: 'sent' })
    const doubtful = await aMessage('Doubtful', 'done', { status: 'sent' })
    const old = await aMessage('Old doubts', 'done', { status: 'sent' })
    for (const { id } of [doubtful, old]) {
      await sql`
        update announcement_recipients set state = 'sent' where announcement_id = ${id}`.execute(db)
      await addMailsOfMessage(admin, { announcementId: id, subject: 'Mailed' })
      await sql`
        update mails set state = 'in_doubt', created_at = ${id === old.id ? daysAgo(40) : daysAgo(1)}
        where announcement_id = ${id}`.execute(db)
    }
    const { messages } = await forAdmin()
    expect(values(messages?.figures ?? [])).toEqual([
      ['Late', '1'],
      ['Stopped', '1'],
      ['Sending', '2'],
      ['Scheduled', '2'],
    ])
    await expectEqualToPages(messages?.figures ?? [])
    expect(messages?.rows.map(({ name, state, inDoubt }) => [name, state, inDoubt])).toEqual([
      ['Doubtful', 'Sent', '2'],
      ['Late', 'Late: waiting for your decision', '0'],
      ['Stopped', 'Stopped', '0'],
      ['Begins', 'Sending begins', '0'],
      ['Runs', 'Sending', '0'],
    ])
    expect(messages?.rows[0]?.to).toBe(`/dashboard/messages/${doubtful.uid}/`)
    expect(messages?.rows[1]?.to, 'where it is decided on').toMatch(/\/late\/$/)
    const message = await getAnnouncementToEdit(admin, { announcementUid: doubtful.uid })
    expect((await getMessageStats(admin, message)).inDoubt).toBe(2)
  })

  test('C-016 a site that sends no messages has none on its overview', async () => {
    const flag = sql`where site_id = ${site.id} and name = 'ANNOUNCEMENTS'`
    await sql`update feature_flags set is_on = false ${flag}`.execute(db)
    expect((await forAdmin()).messages).toBe(null)
    await sql`update feature_flags set is_on = true ${flag}`.execute(db)
  })
})

test('C-013 authors see the modules alone, and nobody else anything', async () => {
  const { admins, failing } = await getOverview(author)
  expect(admins).toBe(null)
  expect(failing.rows).toHaveLength(mostRows)
  await expectGuarded(getOverview, undefined as never, { by: ['admins', 'authors'], elsewhere: null })
  await expectGuarded(listFailingModules, { limit: 5 }, { by: ['admins', 'authors'], elsewhere: null })
  const question = { path: 'sessions/total', question: { period: '7days' } }
  await expectGuarded(listReportFigures, [question], { by: ['admins'], elsewhere: null })
  const first = { ...question, sort: { column: 1, isDescending: true }, limit: 5 }
  await expectGuarded(listFirstLines, first, { by: ['admins'], elsewhere: null })
  await expectGuarded(countUsersFound, [{ tab: 'learners' as const }], { by: ['admins'], elsewhere: null })
  await expectGuarded(listMessagesGoingOut, { limit: 5 }, { by: ['admins'], elsewhere: null })
})

test('the figures of the other site are its own', async () => {
  const there = {
    ...(await aContext(db, { site: 'ns', viewer: await aUser(db, { site: 'ns', groups: ['admins'] }) })),
    now,
  }
  const { admins, failing } = await getOverview(there)
  expect([failing.rows, admins?.searches.rows, admins?.messages?.rows]).toEqual([[], [], []])
  expect([...(admins?.lastDays ?? []), ...(admins?.toDo ?? [])].map(({ value }) => value)).toEqual(Array(8).fill('0'))
})
