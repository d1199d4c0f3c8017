/** Reports for admins: the figures come from what people really did, and everything else is refused. */
import { randomUUID } from 'node:crypto'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { reports } from '~/forms/report-list.ts'
import type { ReportQuestion } from '~/forms/reports.ts'
import { videoEvents } from '~/forms/video-events.ts'
import { type CsvRow, csvOptions } from '~/lib/csv.ts'
import { chartOf } from '~/pages/report-chart.server.ts'
import { getReportView } from '~/pages/report-view.server.ts'
import { recordSignIn } from '~/services/accounts/sign-ins.server.ts'
import { markOpened } from '~/services/announcements/announcements.server.ts'
import { createAudience } from '~/services/audiences/save-audience.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Forbidden, Invalid, NotFound } from '~/services/errors.ts'
import { ensureEventPartitions, recordEvent, recordSearch } from '~/services/events/events.server.ts'
import { listRowChoices } from '~/services/reports/narrow-rows.server.ts'
import { getReportPage, linesOfReport, openReport } from '~/services/reports/reports.server.ts'
import { recordVisit } from '~/services/sessions/sessions.server.ts'
import { listUserReportFields } from '~/services/users/report-fields.server.ts'
import { anAnnouncement } from '../support/announcements.ts'
import { aPerson, type Person } from '../support/attempts.ts'
import { aModule, type TestModule, visit } from '../support/cmi5.ts'
import { aUser, erase } from '../support/context.ts'
import { aVideo } from '../support/films.ts'
import { ctx, db, expectGuarded, site } from '../support/test.ts'

const now = new Date('2026-11-18T15:00:00Z')
let admin: Ctx
let otherAdmin: Ctx
let ada: Person
let ben: Person
let modules: TestModule[]

const at = (person: Person, time: string): Person => ({ ...person, now: new Date(time) })
const hostile = '=HYPERLINK("http://evil.example","x")'

beforeAll(async () => {
  // Midnight of this zone is five or four hours after that of UTC.
  await db.updateTable('sites').set({ time_zone: 'America/New_York' }).where('id', '=', site.id).execute()
  admin = { ...(await aPerson(db, { groups: ['admins'], plan: null, firstName: 'Zoe', lastName: 'Zed' })), now }
  admin = { ...admin, site: { ...admin.site, timeZone: 'America/New_York' } }
  otherAdmin = { ...(await aPerson(db, { groups: ['admins'], site: 'ns', plan: null })), now }
  ada = await aPerson(db, { firstName: 'Ada', lastName: 'Okafor', email: 'ada@titrate.example' })
  ben = await aPerson(db, { firstName: 'Ben', lastName: 'Osei', email: 'ben@titrate.example' })
  const university = await db
    .insertInto('universities')
    .values({ site_id: site.id, name: 'Aldermoor', name_key: 'aldermoor', search_key: 'aldermoor' })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .updateTable('users')
    .set({ university_id: university.id })
    .where('id', 'in', [ada.viewer.id, ben.viewer.id])
    .execute()
  await ensureEventPartitions(admin)
  modules = [await aModule(ctx, { name: 'Dose response' }), await aModule(ctx, { name: 'Assays' })]
})

type Table = { heads: CsvRow; rows: CsvRow[] }

async function read(path: string, question: ReportQuestion = {}, as: Ctx = admin): Promise<Table> {
  const { parts } = await openReport(as, { path, question: { period: 'all_time', ...question } })
  const rows: CsvRow[] = []
  for await (const part of parts) rows.push(...part)
  const [heads = [], ...rest] = rows
  return { heads, rows: rest }
}

/** The lines with the heads of the first few columns that matter for a test. */
async function lines(path: string, columns: string[], question: ReportQuestion = {}): Promise<CsvRow[]> {
  const { heads, rows } = await read(path, question)
  return rows.map((row) => columns.map((column) => row[heads.indexOf(column)] ?? null))
}

const questionOf = (path: string): ReportQuestion => ({
  period: 'all_time',
  interval: 'daily',
  ...(path === 'users' && { fields: 'email' }),
})

test('C-201 every report is for admins of the site alone', async () => {
  for (const { path } of reports) {
    const input = { path, question: questionOf(path) }
    await expectGuarded(openReport, input, { by: ['admins'], elsewhere: null })
    await expect(openReport(otherAdmin, input)).resolves.toMatchObject({ fileName: expect.any(String) })
  }
})

test('C-248 every report takes all parameters, and has its heads when there is nothing', async () => {
  for (const { path } of reports) {
    for (const aggregateBy of ['Institution', 'Position', 'Group', '']) {
      const question = { ...questionOf(path), period: 'last_month', interval: 'weekly', aggregateBy }
      const { heads, rows } = await read(path, question, otherAdmin)
      expect(heads.length, path).toBeGreaterThan(0)
      expect(new Set(heads).size, `${path}: heads differ`).toBe(heads.length)
      // The admins of the other site may have joined at any time.
      if (path !== 'users') expect(rows, `${path} by ${aggregateBy}`).toEqual([])
    }
  }
})

test('C-249 C-112 unknown and missing values are refused with a sentence', async () => {
  for (const { path, needs } of reports) {
    const question = questionOf(path)
    const refused = (more: ReportQuestion) =>
      expect(openReport(admin, { path, question: { ...question, ...more } })).rejects
    await refused({ period: 'foo' }).toThrow('The period is one of 7days')
    await refused({ interval: 'hourly' }).toThrow('The interval is one of daily')
    await refused({ aggregateBy: "Group'; drop" }).toThrow('aggregate_by is')
    const isOptional = path === 'users' || path === 'pending-users'
    if (!isOptional) await refused({ period: null }).toThrow('Choose a period.')
    else await expect(openReport(admin, { path, question: { ...question, period: null } })).resolves.toBeDefined()
    if ((needs as readonly string[]).includes('interval')) await refused({ interval: '' }).toThrow(Invalid)
  }
  await expect(openReport(admin, { path: 'users', question: { fields: '' } })).rejects.toThrow('at least one field')
  await expect(openReport(admin, { path: 'users', question: { fields: 'email,password_hash' } })).rejects.toThrow(
    'There is no field “password_hash”.',
  )
  await expect(openReport(admin, { path: 'passwords', question: {} })).rejects.toThrow(NotFound)
})

test('C-243 C-244 C-245 logins: totals, averages and the time between them', async () => {
  // Oct 31, 11:30 PM and Nov 1, 0:30 AM in New York: two months, an hour apart.
  for (const time of ['2026-11-01T03:30:00Z', '2026-11-01T04:30:00Z', '2026-11-02T04:30:00Z']) {
    await recordSignIn(at(ada, time), { userUid: ada.viewer.uid })
  }
  await recordSignIn(at(ben, '2026-11-17T12:00:00Z'), { userUid: ben.viewer.uid })
  expect(await lines('logins/total', ['Name', 'Email', 'Logins'])).toEqual([
    ['Ada Okafor', 'ada@titrate.example', 3],
    ['Ben Osei', 'ben@titrate.example', 1],
  ])
  const byInstitution = { aggregateBy: 'Institution' }
  expect(await lines('logins/total', ['Institution', 'People', 'Logins'], byInstitution)).toEqual([['Aldermoor', 2, 4]])
  const month = { period: 'this_month' }
  expect(await lines('logins/total', ['Name', 'Logins'], month)).toEqual([
    ['Ada Okafor', 2],
    ['Ben Osei', 1],
  ])
  expect(await lines('logins/total', ['Name', 'Logins'], { period: 'last_month' })).toEqual([['Ada Okafor', 1]])
  expect(await lines('logins/total', ['Name', 'Logins'], { period: '7days' })).toEqual([['Ben Osei', 1]])

  const average = async (interval: string, question: ReportQuestion) =>
    (await read('logins/avg', { interval, ...question })).rows
  expect(await average('daily', { ...month, ...byInstitution })).toEqual([['Aldermoor', 2, 3, 18, 0.17]])
  // November 1 is a Sunday: a week of one day, two whole ones, and one that has begun.
  expect(await average('weekly', { ...month, ...byInstitution })).toEqual([['Aldermoor', 2, 3, 4, 0.75]])
  // October and November; all time begins with the first login.
  expect(await average('monthly', byInstitution)).toEqual([['Aldermoor', 2, 4, 2, 2]])

  // Somebody with one login has no time between logins.
  expect(await lines('logins/avg_time_between_logins', ['Name', 'Average days between logins'], month)).toEqual([
    ['Ada Okafor', 1],
  ])
  expect((await read('logins/avg_time_between_logins')).rows).toEqual([
    ['Ada Okafor', 'ada@titrate.example', 3, '12:30:00', 45000, 0.52],
  ])
})

test('C-246 sessions: the average is the total time divided by the number', async () => {
  for (const minute of ['00', '20', '40']) {
    await recordVisit(db, { viewer: ada.viewer, now: new Date(`2026-11-10T10:${minute}:00Z`) })
  }
  await recordVisit(db, { viewer: ada.viewer, now: new Date('2026-11-10T12:00:00Z') })
  await recordVisit(db, { viewer: ben.viewer, now: new Date('2026-11-11T12:00:00Z') })
  await recordVisit(db, { viewer: ben.viewer, now: new Date('2026-11-11T12:00:11Z') })
  const totals = await read('sessions/total', { period: 'this_month' })
  expect(totals.rows).toEqual([
    ['Ada Okafor', 'ada@titrate.example', 2, '0:40:00', 2400],
    ['Ben Osei', 'ben@titrate.example', 1, '0:00:11', 11],
  ])
  const averages = await read('sessions/averages', { period: 'this_month', aggregateBy: 'Institution' })
  expect(averages.rows).toEqual([['Aldermoor', 2, 3, '0:40:11', 2411, '0:13:24', 803.67]])
})

test('C-240 C-241 modules: started and completed, and the time to complete with its mean', async () => {
  const [dose, assays] = modules as [TestModule, TestModule]
  await visit(at(ada, '2026-11-03T10:00:00Z'), { moduleVersionUid: dose.versionUid }, 'completed')
  await visit(at(ada, '2026-11-04T10:00:00Z'), { moduleVersionUid: assays.versionUid })
  await visit(at(ben, '2026-11-05T10:00:00Z'), { moduleVersionUid: dose.versionUid }, 'completed')
  await setTimes(ada, dose, '2026-11-03T10:00:00Z', '2026-11-03T11:00:00Z')
  await setTimes(ada, assays, '2026-11-04T10:00:00Z', null)
  await setTimes(ben, dose, '2026-11-04T10:00:00Z', '2026-11-05T12:30:15Z')
  expect(await lines('modules/started_completed', ['Name', 'Modules started', 'Modules completed'])).toEqual([
    ['Ada Okafor', 2, 1],
    ['Ben Osei', 1, 1],
  ])
  const columns = ['Module', 'Time to complete (h:mm:ss)', 'Time to complete (seconds)']
  const times = await lines('modules/time_to_complete', ['Name', 'Started (America/New_York)', ...columns])
  expect(times).toEqual([
    ['Ada Okafor', '2026-11-03 05:00:00', 'Dose response', '1:00:00', 3600],
    ['Ben Osei', '2026-11-04 05:00:00', 'Dose response', '26:30:15', 95415],
  ])
  const seconds = 'Average time to complete (seconds)'
  const byInstitution = { aggregateBy: 'Institution' }
  expect(
    await lines('modules/time_to_complete/avg', ['Institution', 'Module', 'Completions', seconds], byInstitution),
  ).toEqual([['Aldermoor', 'Dose response', 2, (3600 + 95415) / 2]])
  expect(await lines('modules/time_to_complete/avg', ['Name', 'Completions', seconds])).toEqual([
    ['Ada Okafor', 1, 3600],
    ['Ben Osei', 1, 95415],
  ])
})

async function setTimes(person: Person, module: TestModule, started: string, completed: string | null): Promise<void> {
  await sql`
    update module_progress set started_at = ${started}, completed_at = ${completed}
    where user_id = ${person.viewer.id} and module_id = (select id from modules where uid = ${module.uid})`.execute(db)
}

test('C-242 quiz and survey answers: one line each, with the question and what was said', async () => {
  await sql`
    insert into question_answers (seq, site_id, user_id, module_id, kind, question_iri, question, response, is_correct,
      score_scaled, answered_at)
    select value.seq, ${site.id}, ${ada.viewer.id}, modules.id, value.kind, 'https://titrate.example/q', value.question,
      value.response, value.correct, value.score, '2026-11-03T11:00:00Z'
    from modules, (values
      (1, 'quiz', 'Which dose?', ${hostile}::text, true, 0.875), (2, 'quiz', null, 'B', false, null),
      (3, 'survey', 'How was it?', E'good,\r\n"really"', null::boolean, null))
      as value (seq, kind, question, response, correct, score)
    where modules.uid = ${modules[0]?.uid ?? ''}`.execute(db)
  const columns = ['Name', 'Module', 'Question', 'Answer']
  expect(await lines('modules/quiz-answers', [...columns, 'Correct', 'Score (%)'])).toEqual([
    ['Ada Okafor', 'Dose response', 'Which dose?', hostile, 'Yes', 87.5],
    ['Ada Okafor', 'Dose response', 'https://titrate.example/q', 'B', 'No', null],
  ])
  expect(await lines('modules/survey', columns)).toEqual([
    ['Ada Okafor', 'Dose response', 'How was it?', 'good,\r\n"really"'],
  ])
})

test('C-239 search terms: the same term in another spelling is one line', async () => {
  for (const [person, query, results] of [
    [ada, 'assay', 3],
    [ben, ' Assay', 2],
    [ben, hostile, 0],
  ] as const) {
    await recordSearch(at(person, '2026-11-17T10:00:00Z'), { query, type: 'all', results })
  }
  await recordSearch(at(ada, '2026-11-01T10:00:00Z'), { query: 'old', type: 'all', results: 0 })
  expect((await read('search_terms', { period: '7days' })).rows).toEqual([
    ['assay', 2, 2, 0],
    [hostile.toLowerCase(), 1, 1, 1],
  ])
  await expectSameOnScreen('search_terms', { searches: 1, people: 2 })
})

/** The lines of the screen are those of the file, in the order of either number. On the screen, people are counted apart. */
async function expectSameOnScreen(path: string, columns: Record<string, number>): Promise<void> {
  const question = { period: '7days' }
  const { rows } = await read(path, question)
  const hidden = path === 'videos' ? [6] : []
  for (const [name, column] of Object.entries(columns)) {
    const sort = { column, isDescending: true }
    const { lines } = await getReportPage(admin, { path, question, sort })
    const sorted = [...rows].sort((a, b) => Number(b[column]) - Number(a[column]))
    expect(
      lines.map((line) => line.map(({ value }) => value)),
      name,
    ).toEqual(sorted.map((row) => row.filter((_, index) => !hidden.includes(index))))
  }
}

test('C-247 videos: a line for each film that people played', async () => {
  const video = await aVideo(db, { name: '@Trial' })
  const send = (time: string, event: string, percent: number) =>
    recordEvent(at(ada, time), {
      event: { event, properties: { video_uid: video.uid, video_percent: percent } },
      perMinute: 1000,
    })
  await send('2026-11-17T10:00:00Z', videoEvents.started, 0)
  await send('2026-11-17T10:00:10Z', videoEvents.completed, 1)
  const { heads, rows } = await read('videos', { period: '7days' })
  expect(rows).toEqual([['@Trial', 'Video', 1, 1, 1, '0:00:10', 10, 100]])
  expect(heads).toContain('Plays to the end')

  // Plays of visitors, of the film on the home page, and of a film that is not there any more.
  type Film = { subject: string; uid: string | null; title: string }
  const play = (person: Ctx | null, { subject, uid, title }: Film, seconds: number) =>
    sql`
      insert into video_plays (site_id, user_id, subject, subject_uid, title, started_at, seconds, max_percent)
      values (${site.id}, ${person?.viewer?.id ?? null}, ${subject}, ${uid}, ${title},
        '2026-11-16T10:00:00Z', ${seconds}, 25)`.execute(db)
  const trial = { subject: 'video', uid: video.uid, title: '@Trial' }
  const gone = { subject: 'lecture', uid: randomUUID(), title: 'Gone' }
  const home = { subject: 'home', uid: null, title: 'Welcome' }
  await play(ada, trial, 0.5)
  await play(ben, trial, 1.4)
  for (const person of [ada, ada, ben, null]) await play(person, gone, 2)
  for (const person of [ada, ben, null]) await play(person, home, 1)
  await play(ben, { ...home, title: 'An older welcome' }, 1)
  expect((await read('videos', { period: '7days' })).rows).toEqual([
    ['Gone', 'Lecture', 4, 2, 0, '0:00:08', 8, 25],
    ['@Trial', 'Video', 3, 2, 1, '0:00:12', 12, 50],
    ['Welcome', 'Home page', 3, 2, 0, '0:00:03', 3, 25],
    ['An older welcome', 'Home page', 1, 1, 0, '0:00:01', 1, 25],
  ])
  await expectSameOnScreen('videos', { plays: 2, people: 3 })
  await sql`delete from video_plays where title <> '@Trial' or seconds < 2`.execute(db)
})

test('C-236 C-249 messages: a line for each that was sent in the period, or for one of them', async () => {
  const to = [ada.viewer, ben.viewer]
  const sentAt = new Date('2026-11-10T12:00:00Z')
  const first = await anAnnouncement(db, to, { subject: 'First news', now: sentAt })
  await anAnnouncement(db, to, { subject: hostile, now: new Date('2026-10-01T12:00:00Z') })
  await markOpened(at(ada, '2026-11-11T12:00:00Z'), { uid: first })
  const { heads, rows } = await read('announcements', { period: 'this_month' })
  expect(rows.map((row) => row[heads.indexOf('Subject')])).toEqual(['First news'])
  const cell = (head: string) => rows[0]?.[heads.indexOf(head)]
  expect(cell('Sent (America/New_York)')).toBe('2026-11-10 07:00:00')
  expect(['Recipients', 'Delivered', 'Opened', 'Unread', 'Pinned', 'Emails accepted'].map(cell)).toEqual([
    2, 2, 1, 1, 0, 0,
  ])
  expect((await read('announcements')).rows).toHaveLength(2)
  const one = await read('announcements', { period: null, uid: first })
  expect(one.rows).toEqual(rows)
  for (const uid of ['nothing', ada.viewer.uid, '']) {
    await expect(read('announcements', { period: null, uid })).rejects.toBeInstanceOf(NotFound)
  }
  await expect(read('announcements', { period: null, uid: first }, otherAdmin)).rejects.toBeInstanceOf(NotFound)
  await expect(read('announcements', { period: null })).rejects.toThrow('Choose a period')
})

test('C-237 C-118 users: the chosen fields in their order, and who joined in the period', async () => {
  const { heads, rows } = await read('users', { fields: 'email,first_name,institution,groups,completed_modules' })
  expect(heads).toEqual(['Email', 'First name', 'Institution', 'Groups', 'Completed modules'])
  expect(rows).toContainEqual(['ada@titrate.example', 'Ada', 'Aldermoor', 'Learners', 1])
  await db.updateTable('users').set({ joined_at: '2026-11-18T04:30:00Z' }).where('id', '=', ben.viewer.id).execute()
  await db.updateTable('users').set({ joined_at: '2026-01-01T12:00:00Z' }).where('id', '!=', ben.viewer.id).execute()
  expect((await read('users', { fields: 'email', period: '7days' })).rows).toEqual([['ben@titrate.example']])
  const all = await readAllFields()
  expect(all.heads).toHaveLength(new Set(all.heads).size)
  expect(all.rows.find((row) => row.includes('ada@titrate.example'))).toEqual(
    expect.arrayContaining(['Full Access', 'paid', '2026-01-01 07:00:00']),
  )
})

async function readAllFields(): Promise<Table> {
  const fields = (await listUserReportFields(admin)).map(({ id }) => id).join(',')
  return read('users', { fields })
}

test('C-238 pending users: who was invited and has not registered', async () => {
  const invited = await aUser(db, { groups: ['learners'], email: 'new@titrate.example', firstName: hostile })
  await db.updateTable('users').set({ is_active: false, joined_at: null }).where('id', '=', invited.id).execute()
  await db.insertInto('user_groups').values({ user_id: invited.id, name: 'pending_users' }).execute()
  await db
    .insertInto('invitations')
    .values({
      site_id: site.id,
      user_id: invited.id,
      created_at: '2026-11-17T10:00:00Z',
      sent_at: '2026-11-17T10:00:00Z',
    })
    .execute()
  const found = await lines('pending-users', ['First name', 'Email', 'Groups', 'Invitation'])
  expect(found).toEqual([[hostile, 'new@titrate.example', 'Learners', 'Sent']])
  await sql`
    insert into mails (site_id, kind, subject, state, user_id, source)
    select site_id, 'account', 'Invitation', 'in_doubt', user_id, 'invitation:' || uid from invitations
    where user_id = ${invited.id}`.execute(db)
  expect(await lines('pending-users', ['Email', 'Invitation'])).toEqual([['new@titrate.example', 'In doubt']])
  expect((await read('pending-users', { period: '7days' })).rows).toHaveLength(1)
  expect((await read('pending-users', { period: 'last_month' })).rows).toHaveLength(0)
  expect((await read('users', { fields: 'email' })).rows.flat()).not.toContain('new@titrate.example')
})

const textsOf = (lines: { value: CsvRow[number] }[][]) => lines.map((line) => line.map(({ value }) => value))

test('C-248 the screen: the lines of the file page by page, and totals that are its sums', async () => {
  for (const { path } of reports) {
    for (const aggregateBy of ['', 'Institution']) {
      const question = {
        ...questionOf(path),
        aggregateBy,
        ...(path === 'users' && { fields: 'email,completed_modules' }),
      }
      const { heads, rows } = await read(path, question)
      const page = await getReportPage(admin, { path, question })
      expect(page.count, path).toBe(rows.length)
      expect(textsOf(page.lines), path).toEqual(
        rows.slice(0, linesOfReport.page).map((row) => page.columns.map(({ column }) => row[column] ?? null)),
      )
      const sums = Object.fromEntries(
        heads.map((head, column) => [head, rows.reduce((sum, row) => sum + (Number(row[column]) || 0), 0)]),
      )
      for (const { label, value, isDuration, note } of page.totals) {
        if (note) continue
        const head = isDuration ? `${label.replace(/^Average t/, 'T')} (seconds)` : String(label)
        const yes = rows.filter((row) => row[heads.indexOf(head)] === 'Yes').length
        const whole = label === 'Correct' ? yes : sums[head]
        const expected = label.startsWith('Average') ? (whole ?? 0) / rows.length : whole
        expect(value, `${path} by ${aggregateBy}: ${label}`).toBe(expected)
      }
    }
  }
  const { totals } = await getReportPage(admin, { path: 'logins/total', question: { period: 'all_time' } })
  expect(totals).toEqual([{ label: 'Logins', value: 4, isDuration: false }])
})

test('C-244 C-245 C-246 C-241 averages above the lines are over all that is counted, as the file adds up', async () => {
  const sum = (numbers: number[]) => numbers.reduce((all, one) => all + one, 0)
  for (const aggregateBy of ['', 'Institution', 'Position']) {
    for (const [path, label] of [
      ['logins/avg', 'Average logins per day'],
      ['logins/avg_time_between_logins', 'Average time between logins'],
      ['sessions/averages', 'Average time'],
      ['modules/time_to_complete/avg', 'Average time to complete'],
    ] as const) {
      for (const filters of [{}, { group: 'learners' }]) {
        const question = { ...questionOf(path), aggregateBy, filters }
        const { heads, rows } = await read(path, question)
        const columnOf = (head: string) => rows.map((row) => Number(row[heads.indexOf(head)] ?? 0))
        const weighted = (weights: number[]) =>
          sum(columnOf(`${label} (seconds)`).map((average, index) => average * (weights[index] ?? 0))) / sum(weights)
        const people = heads.includes('People') ? columnOf('People') : rows.map(() => 1)
        const expected = {
          'logins/avg': () => sum(columnOf('Logins')) / (columnOf('Days')[0] ?? 0),
          'logins/avg_time_between_logins': () =>
            weighted(columnOf('Logins').map((logins, index) => logins - (people[index] ?? 0))),
          'sessions/averages': () => sum(columnOf('Total time (seconds)')) / sum(columnOf('Sessions')),
          'modules/time_to_complete/avg': () => weighted(columnOf('Completions')),
        }[path]()
        const [total] = (await getReportPage(admin, { path, question })).totals.filter(({ note }) => note)
        expect(total?.label).toBe(label)
        expect(total?.value, `${path} by ${aggregateBy}`).toBeCloseTo(expected, 1)
      }
    }
  }
  const empty = await getReportPage(admin, { path: 'sessions/averages', question: { period: '7days' } })
  expect(empty.totals.find(({ note }) => note)?.value).toBe(null)
})

test('C-248 the screen: in the order of a column, and nothing beyond its end', async () => {
  const question = { period: 'all_time' }
  const names = async (input: object) =>
    (await getReportPage(admin, { path: 'sessions/total', question, ...input })).lines.map(([name]) => name?.value)
  // The third column of the file is their number, the fourth the time in words: in order by its seconds.
  expect(await names({ sort: { column: 2, isDescending: true } })).toEqual(['Ada Okafor', 'Ben Osei'])
  expect(await names({ sort: { column: 3, isDescending: false } })).toEqual(['Ben Osei', 'Ada Okafor'])
  expect(await names({ sort: { column: 99, isDescending: true } })).toEqual(['Ada Okafor', 'Ben Osei'])
  const path = 'modules/time_to_complete'
  expect(await names({ path, sort: { column: 3, isDescending: true } })).toEqual(['Ben Osei', 'Ada Okafor'])
  expect(await names({ path, sort: { column: 4, isDescending: false } })).toEqual(['Ada Okafor', 'Ben Osei'])
  expect(await names({ page: 2 })).toEqual([])
  expect(await names({ page: 1e15 })).toEqual([])
})

test('C-248 the screen: charts count what the lines count', async () => {
  const chart = async (path: string, period = 'this_month') =>
    (await getReportPage(admin, { path, question: { ...questionOf(path), period } })).chart
  // November 1 is a Sunday: a week of one day.
  const weeks = { kind: 'time', interval: 'weekly', firstDays: expect.arrayContaining(['2026-11-01', '2026-11-02']) }
  expect(await chart('logins/total')).toEqual({ ...weeks, series: [[2, 0, 0, 1]] })
  expect(await chart('sessions/total')).toEqual({ ...weeks, series: [[0, 0, 3, 0]] })
  expect(await chart('modules/started_completed')).toEqual({
    ...weeks,
    series: [
      [0, 3, 0, 0],
      [0, 2, 0, 0],
    ],
  })
  const year = await chart('logins/total', 'all_time')
  expect(year).toMatchObject({ interval: 'monthly', series: [[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3]] })
  // An hour belongs to what is shorter than two, and a day and two hours to what is shorter than seven days.
  expect(await chart('modules/time_to_complete')).toEqual({ kind: 'spread', counts: [0, 0, 0, 1, 0, 1, 0, 0] })
  expect(await chart('modules/quiz-answers')).toEqual({
    kind: 'ranked',
    names: ['Which dose?'],
    series: [[2], [1]],
    links: [expect.stringMatching(/^question:[0-9a-f-]{36}:./)],
  })
  expect(await chart('modules/survey')).toMatchObject({ names: ['How was it?: good,\r\n"really"'], series: [[1]] })
  expect(await chart('search_terms', '7days')).toMatchObject({
    series: [
      [2, 1],
      [0, 1],
    ],
  })
  expect(await chart('videos')).toMatchObject({ names: ['@Trial'], series: [[1], [1]] })
  expect(await chart('pending-users')).toBe(null)
})

test('C-247 one film: how far its plays went, in the period', async () => {
  const video = await aVideo(db, { name: 'Drop-off' })
  const other = await aVideo(db, { name: 'Other' })
  const play = async (person: Person, time: string, percents: number[], uid = video.uid) => {
    for (const [index, percent] of percents.entries()) {
      const event = index === 0 ? videoEvents.started : percent === 1 ? videoEvents.completed : videoEvents.paused
      await recordEvent(at(person, time), {
        event: { event, properties: { video_uid: uid, video_percent: percent } },
        perMinute: 1000,
      })
    }
  }
  await play(ada, '2026-11-12T10:00:00Z', [0, 0.35])
  await play(ben, '2026-11-12T10:00:00Z', [0, 0.5, 1])
  await play(ben, '2026-11-13T10:00:00Z', [0])
  // Still October in New York.
  await play(ben, '2026-11-01T03:00:00Z', [0, 1])
  await play(ben, '2026-11-12T11:00:00Z', [0, 1], other.uid)
  const question = { period: 'this_month', uid: video.uid }
  const { chart, film, count, totals, lines } = await getReportPage(admin, { path: 'videos', question })
  expect(chart).toEqual({ kind: 'shares', counts: [2, 2, 2, 1, 1, 1, 1, 1, 1, 1] })
  expect([film, count, totals[0]?.value]).toEqual(['Drop-off', 1, 3])
  expect(lines[0]?.flatMap(({ link }) => link ?? [])).toEqual([`video:${video.uid}`, `film:${video.uid}`])
  const { fileName, parts } = await openReport(admin, { path: 'videos', question })
  expect(fileName).toContain('Videos (Drop-off) This Month ')
  for await (const rows of parts) expect(rows).toHaveLength(1)
  for (const uid of ['nothing', randomUUID()]) {
    await expect(getReportPage(admin, { path: 'videos', question: { ...question, uid } })).rejects.toThrow(NotFound)
  }
  await expect(getReportPage(otherAdmin, { path: 'videos', question })).rejects.toThrow(NotFound)
  await sql`delete from video_plays where title in ('Drop-off', 'Other')`.execute(db)
})

test('C-248 figures about some people: of an institution, group, plan or audience, in the file and on the screen', async () => {
  const uidOf = async (table: 'universities' | 'access_plans', name: string) =>
    (
      await sql<{ uid: string }>`
        select uid from ${sql.table(table)} where site_id = ${site.id} and name = ${name}`.execute(db)
    ).rows[0]?.uid ?? ''
  const institution = await uidOf('universities', 'Aldermoor')
  const plan = await uidOf('access_plans', 'Full Access')
  const { uid: audience } = await createAudience(admin, {
    uid: randomUUID(),
    name: 'Completed Dose response',
    conditions: [{ about: 'module', how: 'completed', values: [modules[0]?.uid ?? ''] }],
  })
  const everybody = { institution, group: 'learners', plan, audience }
  const nobody = { institution, group: 'admins' }
  for (const { path } of reports) {
    if (path === 'announcements') continue
    const question = questionOf(path)
    if (path === 'search_terms/searches') {
      const refused = read(path, { ...question, filters: { institution } })
      await expect(refused, 'who searched').rejects.toThrow('This report is not about people of one institution.')
      continue
    }
    const { rows } = await read(path, { ...question, filters: nobody })
    expect(rows, path).toEqual([])
    const filters = path === 'pending-users' ? { group: 'learners' } : everybody
    const some = await read(path, { ...question, filters })
    expect(some.rows.length, path).toBeGreaterThan(0)
    const page = await getReportPage(admin, { path, question: { ...question, filters } })
    expect(page.count, path).toBe(some.rows.length)
  }
  const of = async (filters: object) => (await lines('logins/total', ['Name', 'Logins'], { filters })).flat()
  expect(await of({ institution })).toEqual(['Ada Okafor', 3, 'Ben Osei', 1])
  expect(await of({ institution: 'none' })).toEqual([])
  const { fileName } = await openReport(admin, {
    path: 'logins/total',
    question: { period: 'all_time', filters: { institution, group: 'learners' } },
  })
  expect(fileName).toContain('_Login totals, by user (Aldermoor, Learners) All Time to ')
})

test('C-249 a filter that nobody knows is refused, and so is one of the other site', async () => {
  const elsewhere = await sql<{ uid: string }>`
    select uid from access_plans where site_id <> ${site.id} limit 1`.execute(db)
  const refused = (filters: object, path = 'logins/total') =>
    expect(read(path, { filters })).rejects.toThrow(/^The .* of this report no longer exists|^This report is not about/)
  for (const value of ['foo', randomUUID(), elsewhere.rows[0]?.uid, 'ended', 'constructor', "'; drop table users"]) {
    for (const filter of ['institution', 'group', 'plan', 'audience']) await refused({ [filter]: value })
  }
  await refused({ group: 'none' })
  await refused({ group: 'learners' }, 'announcements')
  await refused({ audience: randomUUID() }, 'pending-users')
})

test('figures lead to the rows that they count: filters by person, module, question and outcome', async () => {
  const [module] = modules
  const { rows: kinds } = await sql<{ kind: string; iri: string; yes: number; no: number; all: number }>`
    select kind, question_iri as iri, (count(*) filter (where is_correct))::int as yes,
      (count(*) filter (where not is_correct))::int as no, count(*)::int as all
    from question_answers where site_id = ${site.id} and module_id = ${module?.id} group by 1, 2`.execute(db)
  const quiz = kinds.find(({ kind }) => kind === 'quiz')
  const of = async (path: string, filters: object) => {
    const question = { ...questionOf(path), filters }
    const { rows, heads } = await read(path, question)
    const page = await getReportPage(admin, { path, question })
    expect(page.count, path).toBe(rows.length)
    return { rows, heads, ...page }
  }
  const answers = 'modules/quiz-answers'
  const all = await of(answers, {})
  const right = await of(answers, { correct: 'yes' })
  const wrong = await of(answers, { correct: 'no' })
  const correct = all.totals.find(({ label }) => label === 'Correct')?.value
  expect(right.count).toBe(correct)
  expect(right.rows.every((row) => row[right.heads.indexOf('Correct')] === 'Yes')).toBe(true)
  expect(wrong.rows.every((row) => row[wrong.heads.indexOf('Correct')] === 'No')).toBe(true)
  const ofQuestion = await of(answers, { module: module?.uid, question: quiz?.iri })
  expect(ofQuestion.count).toBe(quiz?.all)
  expect(ofQuestion.lines[0]?.find(({ link }) => link?.startsWith('question:'))?.link).toBe(
    `question:${module?.uid}:${quiz?.iri}`,
  )
  const series = ofQuestion.chart?.kind === 'answers' ? ofQuestion.chart.series : []
  expect(series.map((bars) => bars.reduce((sum, bar) => sum + bar, 0))).toEqual([quiz?.all, quiz?.yes])
  const ofAda = await of(answers, { person: ada.viewer.uid.toUpperCase() })
  expect(new Set(ofAda.rows.map((row) => row[ofAda.heads.indexOf('Name')]))).toEqual(new Set(['Ada Okafor']))

  const done = await of('modules/started_completed', {})
  const times = await of('modules/time_to_complete', {})
  expect(done.totals.find(({ label }) => label === 'Modules completed')?.value).toBe(times.count)
  const timesOfAda = await of('modules/time_to_complete', { person: ada.viewer.uid, module: module?.uid })
  expect(timesOfAda.rows.map((row) => row.slice(0, 3))).toEqual([
    ['Ada Okafor', 'ada@titrate.example', 'Dose response'],
  ])
  for (const aggregateBy of ['', 'Institution', 'Position', 'Group']) {
    const path = 'modules/time_to_complete/avg'
    const question = { period: 'this_year', aggregateBy, filters: { module: module?.uid } }
    const average = await getReportPage(admin, { path, question })
    const { rows } = await read('modules/time_to_complete', { ...question, aggregateBy: '' })
    expect(average.totals.find(({ label }) => label === 'Completions')?.value).toBe(rows.length)
    expect(average.count).toBe((await read(path, question)).rows.length)
  }

  for (const [summedUp, list, figure] of [
    ['logins/total', 'logins', 'Logins'],
    ['sessions/total', 'sessions', 'Sessions'],
    ['videos', 'videos/plays', 'Plays'],
  ] as const) {
    const sum = (await of(summedUp, {})).totals.find(({ label }) => label === figure)?.value
    expect(sum, list).toBeGreaterThan(0)
    expect((await of(list, {})).count, list).toBe(sum)
  }
  const [lineOfAda] = (await lines('logins/total', ['Name', 'Logins'])).filter(([name]) => name === 'Ada Okafor')
  expect((await of('logins', { person: ada.viewer.uid })).count).toBe(lineOfAda?.[1])
  const seconds = async (path: string, label: string) =>
    (await of(path, {})).totals.find((total) => total.label === label)?.value
  expect(await seconds('sessions', 'Time')).toBe(await seconds('sessions/total', 'Total time'))
  expect(await seconds('videos/plays', 'Time watched')).toBe(await seconds('videos', 'Time watched'))

  const ends = (await of('videos', {})).totals.find(({ label }) => label === 'Plays to the end')?.value
  expect((await of('videos/plays', { ended: 'yes' })).count).toBe(ends)
  const linked = async (id: string, params: string, head: string) => {
    const answer = await getReportView(admin, { id, params: new URLSearchParams(params) })
    if (!('view' in answer)) throw new Error(JSON.stringify(answer))
    return answer.view.lines.map((line) => line[answer.view.heads.indexOf(head)]?.to ?? '')
  }
  const between = await linked('logins-avg-time-between-logins', 'period=all_time&aggregate_by=Institution', 'Logins')
  expect(
    between.filter((to) => to.includes('/reports/logins/')),
    'people who logged in once are not in it',
  ).toEqual([])
  const [toFilm] = await linked('plays', 'period=all_time', 'Time watched')
  expect(toFilm).toMatch(/^\/dashboard\/reports\/film-plays\/\?uid=[0-9a-f-]{36}&period=all_time$/)
  const uid = /uid=([0-9a-f-]{36})/.exec(toFilm ?? '')?.[1]
  const ended = await getReportView(admin, {
    id: 'film-plays',
    params: new URLSearchParams({ uid: uid ?? '', period: 'all_time', ended: 'yes' }),
  })
  expect('view' in ended && ended.view.back, 'the way back').toEqual({
    to: '/dashboard/reports/plays/?period=all_time',
    label: 'Videos',
  })
  const playsOf = (await getReportPage(admin, { path: 'videos/plays', question: { period: 'all_time', uid } })).count
  const [filmLine] = (await getReportPage(admin, { path: 'videos', question: { period: 'all_time', uid } })).lines
  expect(filmLine?.map(({ value }) => value)).toContain(playsOf)
  expect((await linked('plays', 'period=all_time', 'Plays to the end')).find(Boolean)).toContain('&ended=yes')
  expect(await linked('plays', 'period=all_time', 'Average share seen (%)')).toContain(
    `/dashboard/reports/plays/?uid=${uid}&period=all_time`,
  )
  expect((await linked('logins-total', 'period=all_time&aggregate_by=Institution', 'Logins')).find(Boolean)).toMatch(
    /^\/dashboard\/reports\/logins\/\?period=all_time&institution=[0-9a-f-]{36}$/,
  )
  expect(await linked('sessions-total', 'period=all_time&aggregate_by=', 'Total time')).toContain(
    `/dashboard/reports/sessions/?period=all_time&person=${ada.viewer.uid}`,
  )

  const averages = 'period=all_time&aggregate_by=Institution'
  const institutionOf = /institution=([0-9a-f-]{36})/.exec(
    (await linked('logins-total', averages, 'Logins')).find(Boolean) ?? '',
  )?.[1]
  expect(await linked('modules-time-to-complete-avg', averages, 'Average time to complete')).toContain(
    `/dashboard/reports/modules-time-to-complete/?period=all_time&aggregate_by=&institution=${institutionOf}&module=${module?.uid}`,
  )
  expect(new Set(await linked('modules-time-to-complete', averages, 'Time to complete')), 'a completion').toEqual(
    new Set(['']),
  )
  expect(new Set(await linked('logins-avg', `${averages}&interval=monthly`, 'Months')), 'a length').toEqual(
    new Set(['']),
  )
  for (const [id, label] of [
    ['logins-total', 'Institutions'],
    ['modules-time-to-complete-avg', 'Rows'],
  ] as const) {
    const answer = await getReportView(admin, { id, params: new URLSearchParams(averages) })
    const figure = 'view' in answer ? answer.view.figures.find((one) => one.label === label) : null
    expect(figure?.to, 'the number of lines').toBe(`/dashboard/reports/${id}/?${averages}#rows`)
  }

  const searches = await of('search_terms', {})
  const nothing = await of('search_terms', { results: 'none' })
  const sumOf = (page: typeof searches, label: string) => page.totals.find((total) => total.label === label)?.value
  expect(sumOf(nothing, 'Searches')).toBe(sumOf(searches, 'Searches without results'))
  const { fileName } = await openReport(admin, {
    path: answers,
    question: { period: 'all_time', filters: { module: module?.uid, correct: 'no' } },
  })
  expect(fileName).toContain('_Quiz answers (Dose response, Wrong answers) All Time to ')
})

test('a report of one person says who, and its form and that of a refusal keep the person, film and saved view', async () => {
  const person = { value: ada.viewer.uid, label: 'Ada Okafor' }
  const viewOf = (id: string, params: object) =>
    getReportView(admin, { id, params: new URLSearchParams({ person: person.value, ...params }) })
  for (const id of ['logins', 'sessions', 'film-plays', 'modules-time-to-complete']) {
    const answer = await viewOf(id, { period: 'all_time' })
    const select = 'view' in answer ? answer.view.selects.find(({ name }) => name === 'person') : null
    expect(select, id).toMatchObject({ chosen: person.value, options: { [person.value]: person.label } })
    const refused = await viewOf(id, { period: 'eternity', uid: modules[0]?.uid, view: modules[1]?.uid })
    if (!('refused' in refused)) throw new Error('it was not refused')
    expect(refused.refused.selects.find(({ name }) => name === 'person')?.chosen, id).toBe(person.value)
    expect(refused.refused.hidden).toEqual([
      { name: 'uid', value: modules[0]?.uid },
      { name: 'view', value: modules[1]?.uid },
    ])
  }
})

test('a filter of rows that does not exist, is of the other site or does not fit is refused with a sentence', async () => {
  const refused = (path: string, filters: object) =>
    expect(read(path, { filters }), `${path} ${JSON.stringify(filters)}`).rejects
  const elsewhere = await aUser(db, { site: 'ns', plan: null })
  const uid = modules[0]?.uid
  for (const value of ['foo', randomUUID(), elsewhere.uid, "'; drop table users"]) {
    await refused('modules/quiz-answers', { person: value }).toThrow('The person of this report no longer exists.')
    await refused('modules/survey', { module: value }).toThrow('The module of this report no longer exists.')
    await refused('modules/survey', { module: uid, question: value }).toThrow('This module has no such question.')
  }
  const { uid: moduleElsewhere } = await aModule({ ...otherAdmin, viewer: null }, { name: 'Elsewhere' })
  await refused('modules/survey', { module: moduleElsewhere }).toThrow('The module of this report no longer exists.')
  await refused('modules/quiz-answers', { correct: 'maybe' }).toThrow('The filter “correct” can only be “yes” or “no”.')
  await refused('search_terms', { results: 'all' }).toThrow('The filter “results” can only be “none”.')
  await refused('modules/survey', { question: 'https://q.example/' }).toThrow('Choose the module too.')
  await refused('modules/survey', { correct: 'yes' }).toThrow('This report has no filter “correct”.')
  await refused('logins/total', { module: uid }).toThrow('This report has no filter “module”.')
  await refused('announcements', { person: ada.viewer.uid }).toThrow('This report has no filter “person”.')
})

test('questions to choose from are of the module and of the kind of the report, and of what is chosen', async () => {
  const { rows } = await sql<{ uid: string; kind: 'quiz' | 'survey'; iris: string[] }>`
    select modules.uid, kind, array_agg(distinct question_iri) as iris
    from question_answers join modules on modules.id = question_answers.module_id
    where question_answers.site_id = ${site.id} group by 1, 2`.execute(db)
  expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(['quiz', 'survey']))
  for (const { uid, kind, iris } of rows) {
    const offered = async (as: Ctx, filters: object) => {
      const { questions } = await listRowChoices(as, { filters: { module: uid, ...filters }, kind })
      return questions.map(({ value }) => value)
    }
    expect((await offered(admin, {})).sort()).toEqual(iris.sort())
    expect(await offered(otherAdmin, {})).toEqual([])
    const other = rows.find((row) => row.uid === uid && row.kind !== kind)?.iris[0]
    if (other) expect(await offered(admin, { question: other }), 'chosen').toContain(other)
  }
})

test('C-248 the screen: the totals of the period before, and nothing before All Time', async () => {
  const compared = (path: string, period: string) =>
    getReportPage(admin, { path, question: { ...questionOf(path), period, compare: 'previous' } })
  const month = await compared('logins/total', 'this_month')
  expect(month.totals).toEqual([{ label: 'Logins', value: 3, isDuration: false }])
  // As many days of October: its last evening is not one of them.
  expect(month.before).toMatchObject({ count: 0, totals: [{ value: 0 }] })
  expect(month.before?.period).toMatchObject({ firstDay: '2026-10-01', lastDay: '2026-10-18' })
  const week = await compared('sessions/total', '7days')
  expect([week.totals[0]?.value, week.before?.totals[0]?.value]).toEqual([0, 3])
  expect((await compared('logins/total', 'all_time')).before).toBe(null)
  for (const { path } of reports) expect((await compared(path, 'this_year')).before, path).not.toBe(null)
  const question = { period: '7days', compare: 'next' }
  await expect(getReportPage(admin, { path: 'videos', question })).rejects.toThrow('compare is previous or blank.')
})

test('the screen: names lead to what is behind them', async () => {
  const links = async (path: string, question: ReportQuestion = {}) =>
    (await getReportPage(admin, { path, question: { ...questionOf(path), ...question } })).lines[0]?.flatMap(
      ({ link }) => link ?? [],
    )
  const user = `user:${ada.viewer.uid}`
  const module = `module:${modules[0]?.uid}`
  expect(await links('logins/total')).toEqual([user])
  expect(await links('modules/time_to_complete')).toEqual([user, module])
  const question = expect.stringMatching(new RegExp(`^question:${modules[0]?.uid}:https://`))
  expect(await links('modules/quiz-answers')).toEqual([user, module, question])
  expect(await links('videos')).toEqual([expect.stringMatching(/^video:/), expect.stringMatching(/^film:/)])
  expect(await links('announcements')).toEqual([expect.stringMatching(/^message:/)])
  expect(await links('users')).toEqual([expect.stringMatching(/^user:/)])
  const institution = await links('logins/total', { aggregateBy: 'Institution' })
  expect(institution).toEqual([expect.stringMatching(/^institution:/)])
  const filters = { institution: institution?.[0]?.split(':')[1] }
  expect(await links('logins/total', { filters })).toEqual([user])
})

test('the screen is for admins of the site alone', async () => {
  for (const { path } of reports) {
    const input = { path, question: questionOf(path) }
    await expectGuarded(getReportPage, input, { by: ['admins'], elsewhere: null })
    const { lines } = await getReportPage(otherAdmin, input)
    expect(
      textsOf(lines)
        .flat()
        .filter((cell) => /ada|ben@|Dose|assay|Trial/i.test(String(cell))),
      path,
    ).toEqual([])
  }
})

test('C-248 names in both directions: deleted users are last or first, and equal names keep their order', async () => {
  const [path, question] = ['sessions/total', { period: 'last_month' }]
  const known = [
    await aPerson(db, { firstName: 'same', lastName: 'Name', email: 'same1@titrate.example' }),
    await aPerson(db, { firstName: 'Same', lastName: 'Name', email: 'same2@titrate.example' }),
    await aPerson(db, { firstName: 'Zora', lastName: 'Name', email: 'zora@titrate.example' }),
    await aPerson(db, { firstName: 'Aaron', lastName: 'Gone', email: 'gone@titrate.example' }),
  ]
  for (const person of known) await recordVisit(db, at(person, '2026-10-12T12:00:00Z'))
  const gone = known.at(-1)
  if (gone) await erase(db, gone.viewer)
  const emails = async (isDescending: boolean) =>
    (await getReportPage(admin, { path, question, sort: { column: 0, isDescending } })).lines.map(
      ([, email]) => email?.value,
    )
  const [same1, same2, zora] = ['same1@titrate.example', 'same2@titrate.example', 'zora@titrate.example']
  expect(await emails(false)).toEqual([same1, same2, zora, null])
  expect(await emails(true)).toEqual([null, zora, same1, same2])
  await sql`delete from visits where user_id in (${sql.join(known.map(({ viewer }) => viewer.id))})`.execute(db)
})

test('C-248 people whose group has the same name are one line, and so are they in the times to complete', async () => {
  const path = 'modules/started_completed'
  await sql`
    insert into user_facets (user_id, site_id, position, group_key)
    values (${ada.viewer.id}, ${site.id}, '', 'external')
    on conflict (user_id) do update set position = '', group_key = 'external'`.execute(db)
  await sql`
    insert into user_facets (user_id, site_id) values (${ben.viewer.id}, ${site.id})
    on conflict (user_id) do update set position = null, group_key = null`.execute(db)
  for (const [aggregateBy, name] of [
    ['Position', 'No position'],
    ['Group', 'External'],
  ]) {
    expect(await lines(path, [aggregateBy ?? '', 'People'], { aggregateBy }), aggregateBy).toEqual([[name, 2]])
    for (const report of ['modules/time_to_complete', 'modules/time_to_complete/avg']) {
      const question = { period: 'all_time', aggregateBy }
      const page = await getReportPage(admin, { path: report, question })
      const { rows } = await read(report, question)
      expect(rows.length, report).toBe(report.endsWith('avg') ? 1 : 2)
      expect(textsOf(page.lines), report).toEqual(
        rows.map((row) => page.columns.map(({ column }) => row[column] ?? null)),
      )
    }
  }
})

test('the lines of a person who was erased stay, without the name', async () => {
  const gone = await aPerson(db, { firstName: 'Secret' })
  await recordSignIn(at(gone, '2026-10-10T12:00:00Z'), { userUid: gone.viewer.uid })
  await erase(db, gone.viewer)
  const { rows } = await read('logins/total', { period: 'last_month' })
  expect(rows.at(-1)).toEqual(['Deleted user', null, 1])
  expect(JSON.stringify(rows)).not.toContain('Secret')
})

test('nothing of the other site is in a report', async () => {
  for (const { path } of reports) {
    const rows = (await read(path, questionOf(path), otherAdmin)).rows.flat()
    expect(
      rows.filter((cell) => /ada|ben@|Dose|assay|Trial/i.test(String(cell))),
      path,
    ).toEqual([])
  }
})

test('cells that a spreadsheet would run are text in the file, and as they were for programs', async () => {
  const { heads, rows } = await read('modules/quiz-answers')
  const safe = parse(stringify([heads, ...rows], csvOptions()), { bom: true }) as string[][]
  expect(safe.flat()).toContain(`'${hostile}`)
  expect(safe.flat().filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([])
  const raw = stringify([heads, ...rows], csvOptions({ isRaw: true }))
  expect(raw.startsWith('\ufeff')).toBe(false)
  expect((parse(raw) as string[][]).flat()).toContain(hostile)
})

test('a report is one snapshot: what is written while it is read is not in it', async () => {
  const reading = await openReport(admin, { path: 'search_terms', question: { period: 'all_time' } })
  await sql`
    insert into search_queries (site_id, at, query, type, results)
    select ${site.id}, '2026-11-16T12:00:00Z', 'term ' || n, 'all', 1 from generate_series(1, 5000) n`.execute(db)
  const first = await reading.parts.next()
  await sql`delete from search_queries where query like 'term %'`.execute(db)
  let count = first.done ? 0 : first.value.length
  let before: unknown[] = []
  for await (const part of reading.parts) {
    expect(before, 'a batch takes no memory once the next one is read').toEqual([])
    count += part.length
    before = part
  }
  expect(count).toBeGreaterThan(5000)
})

test('who stops reading ends the transaction, and a signal ends the query that runs', async () => {
  await sql`
    insert into search_queries (site_id, at, query, type, results)
    select ${site.id}, '2026-11-16T12:00:00Z', 'many ' || n, 'all', 1 from generate_series(1, 5000) n`.execute(db)
  const open = async () =>
    (
      await sql<{ count: number }>`
        select count(*)::int as count from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
          and backend_type = 'client backend'`.execute(db)
    ).rows[0]?.count
  const question = { period: 'all_time' }
  const left = await openReport(admin, { path: 'search_terms', question })
  await left.parts.next()
  await left.parts.next()
  expect(await open()).toBe(1)
  await left.parts.return(undefined)
  expect(await open()).toBe(0)

  const gone = new AbortController()
  const aborted = await openReport(admin, { path: 'search_terms', question, signal: gone.signal })
  await aborted.parts.next()
  await aborted.parts.next()
  gone.abort()
  await expect(aborted.parts.next()).rejects.toThrow()
  expect(await open()).toBe(0)
  await expect(openReport({ ...admin, viewer: null }, { path: 'videos', question })).rejects.toThrow(Forbidden)
  await sql`delete from search_queries where query like 'many %'`.execute(db)
})

test('C-242 a question that several modules ask has a bar for each of them', async () => {
  const [first, second] = [await aModule(ctx, { name: 'First unit' }), await aModule(ctx, { name: 'Second unit' })]
  await sql`
    insert into question_answers (seq, site_id, user_id, module_id, kind, question_iri, question, response, is_correct,
      answered_at)
    select 1000 + row_number() over (), ${site.id}, ${ada.viewer.id}, modules.id, value.kind, value.question,
      value.question, value.response, value.correct, '2024-05-03T11:00:00Z'
    from (values
      (${first.uid}, 'survey', 'How clear?', 'Very clear', null), (${first.uid}, 'survey', 'How clear?', 'Very clear', null),
      (${second.uid}, 'survey', 'How clear?', 'Very clear', null), (${second.uid}, 'survey', 'Too long?', 'No', null),
      (${first.uid}, 'quiz', 'Which dose?', '1', true), (${second.uid}, 'quiz', 'Which dose?', '2', true),
      (${second.uid}, 'quiz', 'Which dose?', '2', false))
      as value (module, kind, question, response, correct)
      join modules on modules.uid = value.module::uuid`.execute(db)
  const read = async (path: string, filters: ReportQuestion['filters'] = {}) => {
    const question = { period: 'this_month', on: '2024-05-20', filters }
    const { chart } = await getReportPage(admin, { path, question })
    return chart
  }
  expect(await read('modules/quiz-answers', { module: second.uid, question: 'Which dose?' }), 'one question').toEqual({
    kind: 'answers',
    names: ['2'],
    series: [[2], [1]],
  })
  expect(await read('modules/survey', { module: first.uid, question: 'How clear?' })).toEqual({
    kind: 'answers',
    names: ['Very clear'],
    series: [[2]],
  })
  expect(await read('modules/survey')).toMatchObject({
    names: ['How clear? (First unit): Very clear', 'How clear? (Second unit): Very clear', 'Too long?: No'],
    series: [[2, 1, 1]],
  })
  expect(await read('modules/quiz-answers')).toMatchObject({
    names: ['Which dose? (Second unit)', 'Which dose? (First unit)'],
    series: [
      [2, 1],
      [1, 1],
    ],
  })
})

test('C-248 files of the same period have different names', async () => {
  const nameOf = async (path: string, more: ReportQuestion) =>
    (await openReport(admin, { path, question: { ...questionOf(path), period: 'this_year', ...more } })).fileName
  const days = 'This Year 2026-01-01 to 2026-11-18.csv'
  expect(await nameOf('logins/total', { aggregateBy: '' })).toBe(`Titrate_Login totals, by user ${days}`)
  expect(await nameOf('logins/total', { aggregateBy: 'Institution' })).toBe(
    `Titrate_Login totals, by institution ${days}`,
  )
  expect(await nameOf('logins/avg', { interval: 'weekly', aggregateBy: 'Group' })).toBe(
    `Titrate_Average logins, weekly, by group ${days}`,
  )
  expect(await nameOf('search_terms', {})).toBe(`Titrate_Search terms ${days}`)
})

test('a chart of weeks says what a bar is, and which ones are cut', () => {
  const said = (firstDay: string, lastDay: string) =>
    chartOf(
      'logins/total',
      { kind: 'time', interval: 'weekly', firstDays: ['2026-11-01', '2026-11-02'], series: [[1, 2]] },
      { firstDay, lastDay },
      () => null,
    )
  expect(said('2026-11-01', '2026-11-04')?.description).toBe(
    'How often people logged in. Each bar is a week, Monday to Sunday; the first begins on Nov 1 and the last ends on Nov 4.',
  )
  expect(said('2026-11-02', '2026-11-08')?.description).toBe(
    'How often people logged in. Each bar is a week, Monday to Sunday.',
  )
})
