/** Where the figures of reports lead: to as many rows as they say. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { ReportView } from '~/components/console/reports/view.ts'
import { findReportOfPage } from '~/forms/report-list.ts'
import { reportQuestionOf } from '~/forms/reports.ts'
import { getReportView } from '~/pages/report-view.server.ts'
import { recordSignIn } from '~/services/accounts/sign-ins.server.ts'
import type { Ctx } from '~/services/context.ts'
import { ensureEventPartitions, recordSearch } from '~/services/events/events.server.ts'
import { getReportChoice, getReportPage, openReport } from '~/services/reports/reports.server.ts'
import { createSavedView } from '~/services/reports/saved-views.server.ts'
import { recordVisit } from '~/services/sessions/sessions.server.ts'
import { aPerson, type Person } from '../support/attempts.ts'
import { aModule, visit } from '../support/cmi5.ts'
import { ctx, db, site } from '../support/test.ts'

const now = new Date('2026-11-18T15:00:00Z')
const at = (person: Person, time: string): Person => ({ ...person, now: new Date(time) })
const position = 'Physician: "senior", part-time'
let admin: Ctx
const purged = randomUUID()
let people: [Person, Person, Person]

async function viewOf(id: string, params: object): Promise<ReportView> {
  const answer = await getReportView(admin, { id, params: new URLSearchParams({ ...params }) })
  if (!('view' in answer)) throw new Error(JSON.stringify(answer))
  return answer.view
}

beforeAll(async () => {
  admin = { ...(await aPerson(db, { groups: ['admins'], plan: null })), now }
  await ensureEventPartitions(admin)
  const [ada, ben, cyd] = [
    await aPerson(db, { firstName: 'Ada', lastName: 'Okafor' }),
    await aPerson(db, { firstName: 'Ben', lastName: 'Osei' }),
    await aPerson(db, { firstName: 'Cyd', lastName: 'Rao' }),
  ]
  people = [ada, ben, cyd]
  // Nobody says anything about Cyd.
  await sql`delete from user_facets where site_id = ${site.id}`.execute(db)
  await sql`
    insert into user_facets (user_id, site_id, position, group_key)
    values (${ada.viewer.id}, ${site.id}, ${position}, 'site'), (${ben.viewer.id}, ${site.id}, '', 'external')`.execute(
    db,
  )
  const module = await aModule(ctx, { name: 'Dose response' })
  for (const [index, person] of people.entries()) {
    for (let day = 2; day < 5 + index; day++) {
      await recordSignIn(at(person, `2026-11-0${day}T10:00:00Z`), { userUid: person.viewer.uid })
      await recordVisit(db, { viewer: person.viewer, now: new Date(`2026-11-0${day}T10:00:00Z`) })
      await recordVisit(db, { viewer: person.viewer, now: new Date(`2026-11-0${day}T10:07:00Z`) })
    }
    await visit(at(person, '2026-11-03T10:00:00Z'), { moduleVersionUid: module.versionUid }, 'completed')
    await sql`
      update module_progress set started_at = '2026-11-03T10:00:00Z', completed_at = '2026-11-03T11:00:00Z'
      where user_id = ${person.viewer.id}`.execute(db)
    await recordSearch(at(person, '2026-11-17T10:00:00Z'), {
      query: index === 1 ? ' Assay: 1' : 'assay: 1',
      type: 'all',
      results: index,
    })
    await sql`
      insert into video_plays (site_id, user_id, subject, title, started_at, completed_at, seconds, max_percent)
      values (${site.id}, ${person.viewer.id}, 'home', ${index === 0 ? 'Hello: old' : 'Hello'}, '2026-11-16T10:00:00Z',
        ${index === 2 ? '2026-11-16T10:05:00Z' : null}, 10, 50)`.execute(db)
  }
  // Of a lecture that was purged.
  await sql`
    insert into video_plays (site_id, user_id, subject, subject_uid, title, started_at, seconds, max_percent)
    select ${site.id}, ${ada.viewer.id}, 'lecture', ${purged}, 'Purged', '2026-11-16T10:00:00Z', 7, 20
    from generate_series(1, 2)`.execute(db)
  await recordSearch(at(ada, '2026-11-17T10:00:00Z'), { query: '  ', type: 'all', results: 0 })
})

/** What a cell of a report says, by its line and head, and what the page that it leads to says about the same. */
async function follow(id: string, params: string, heads: string[]): Promise<[string, string, string][]> {
  const answer = await getReportView(admin, { id, params: new URLSearchParams(params) })
  if (!('view' in answer)) throw new Error(JSON.stringify(answer))
  const { view } = answer
  const said: [string, string, string][] = []
  for (const line of view.lines) {
    for (const head of heads) {
      const cell = line[view.heads.indexOf(head)]
      const name = line.map(({ text }) => text).find((text) => !/^[\d:]+$/.test(text)) ?? ''
      said.push([`${name}, ${head}`, cell?.text ?? '', await sayOf(cell?.to ?? '', head)])
    }
  }
  return said
}

/** A list has a row for each thing that is counted, and totals of the others. */
const counted = ['People', 'Logins', 'Sessions', 'Searches', 'Searches without results', 'Plays', 'Completions']
const labels: Record<string, string> = { 'Total time': 'Time' }

async function sayOf(address: string, head: string): Promise<string> {
  if (address === '') return 'leads nowhere'
  const [, id = '', params = ''] = /^\/dashboard\/reports\/([^/]+)\/\?(.*)$/.exec(address) ?? []
  const answer = await getReportView(admin, { id, params: new URLSearchParams(params) })
  if (!('view' in answer)) return `${address}: ${JSON.stringify(answer)}`
  if (counted.includes(head) || head === 'Modules completed') {
    return String(answer.view.total)
  }
  return answer.view.figures.find(({ label }) => label === (labels[head] ?? head))?.value ?? 'nothing'
}

const agree = (said: [string, string, string][]) => {
  expect(said.length).toBeGreaterThan(0)
  expect(said.map(([about, , there]) => [about, there])).toEqual(said.map(([about, here]) => [about, here]))
}

test.each(['Position', 'Group'])('C-248 the figures of each %s lead to what its people did', async (aggregate) => {
  const by = `period=all_time&aggregate_by=${aggregate}`
  for (const [id, params, heads] of [
    ['logins-total', by, ['People', 'Logins']],
    ['logins-avg', `${by}&interval=monthly`, ['Logins']],
    ['sessions-total', by, ['People', 'Sessions', 'Total time']],
    ['modules-started-completed', by, ['People', 'Modules started', 'Modules completed']],
    ['modules-time-to-complete-avg', by, ['Completions']],
  ] as const) {
    const said = await follow(id, params, [...heads])
    expect(said.length, id).toBe(2 * heads.length)
    agree(said)
  }
  const filter = aggregate === 'Position' ? { position } : { site_group: 'external' }
  const question = { period: 'all_time', filters: filter }
  const page = await getReportPage(admin, { path: 'logins', question })
  expect(page.count).toBe(aggregate === 'Position' ? 3 : 9)
})

test('a page says what it is narrowed to, leads back to the lines it came from, and is not kept about a position', async () => {
  const all = { period: 'all_time' }
  const logins = await viewOf('logins', { ...all, position })
  expect([logins.title, logins.saveTo, logins.scheduleTo]).toEqual([`Logins (${position})`, null, null])
  expect(logins.back).toEqual({
    to: '/dashboard/reports/logins-total/?period=all_time&aggregate_by=Position',
    label: 'Login totals',
  })
  const averages = await viewOf('logins-avg', { ...all, interval: 'weekly', site_group: 'site' })
  expect([averages.title, averages.saveTo]).toEqual(['Average logins (Titrate)', expect.stringContaining('/save/')])
  expect(averages.back.to).toBe('/dashboard/reports/logins-avg/?period=all_time&interval=weekly&aggregate_by=Group')
  const person = { ...all, person: admin.viewer?.uid, site_group: 'external' }
  expect((await viewOf('sessions', person)).back.to, 'to the people of the group').toBe(
    '/dashboard/reports/sessions-total/?period=all_time&aggregate_by=&site_group=external',
  )
  const ofInstitution = await viewOf('logins-total', { ...all, aggregate_by: '', institution: 'none' })
  expect(ofInstitution.back.to).toBe('/dashboard/reports/logins-total/?period=all_time&aggregate_by=Institution')
  const ofGroup = await viewOf('logins-total', { ...all, aggregate_by: '', group: 'learners' })
  expect(ofGroup.back.to, 'to its form, as it was filled in').toBe(
    '/dashboard/reports/users/?period=all_time&aggregate_by=&group=learners&report=logins%2Ftotal',
  )
  const asked = { path: 'logins', question: { ...all, filters: { position } } }
  const sentence = 'A position may be what one person typed. Choose all positions first.'
  await expect(createSavedView(admin, { ...asked, name: 'Kept' })).rejects.toThrow(sentence)
  const { lastingTitle } = await getReportChoice(admin, asked)
  expect(lastingTitle).toBe('Logins')
})

test('C-239 the figures of each search term lead to its searches, and these back', async () => {
  const said = await follow('search-terms', 'period=7days', ['Searches', 'Searches without results'])
  expect(said).toEqual([
    ['assay: 1, Searches', '3', '3'],
    ['assay: 1, Searches without results', '1', '1'],
  ])
  const found = await getReportPage(admin, {
    path: 'search_terms/searches',
    question: { period: '7days', filters: { term: 'assay: 1' } },
  })
  expect(found.lines.map((line) => line.slice(1).map(({ value }) => value))).toEqual(
    [0, 1, 2].map((index) => [index === 1 ? ' Assay: 1' : 'assay: 1', index]),
  )
  const all = await getReportPage(admin, { path: 'search_terms/searches', question: { period: '7days' } })
  const bars = all.chart?.kind === 'time' ? (all.chart.series[0] ?? []) : []
  expect([all.count, bars.reduce((sum, bar) => sum + bar, 0)], 'spaces are no term').toEqual([3, 3])
  const ofPeople = new URLSearchParams({ period: '7days', group: 'learners' })
  const narrowed = await getReportView(admin, { id: 'search-terms', params: ofPeople })
  const links = 'view' in narrowed ? narrowed.view.lines.flat().flatMap(({ to }) => to ?? []) : ['refused']
  expect(links, 'few people would tell who searched').toEqual([])
  const view = await getReportView(admin, {
    id: 'searches',
    params: new URLSearchParams({ period: '7days', term: 'assay: 1', results: 'none' }),
  })
  expect('view' in view && view.view.back).toEqual({
    to: '/dashboard/reports/search-terms/?period=7days&results=none',
    label: 'Search terms',
  })
})

test('C-247 the figures of a film of the home page, and of one that was purged, lead to their plays', async () => {
  const said = await follow('plays', 'period=7days', ['Plays', 'Plays to the end', 'Time watched'])
  expect(said).toHaveLength(9)
  const ofPurged = await getReportPage(admin, { path: 'videos', question: { period: '7days', uid: purged } })
  expect([ofPurged.film, ofPurged.count]).toEqual(['Purged', 1])
  agree(said.filter(([, here]) => here !== '0'))
  const { fileName } = await openReport(admin, {
    path: 'videos/plays',
    question: { period: '7days', filters: { home_film: 'Hello: old' } },
  })
  expect(fileName).toContain('_Plays (Hello_ old) ')
})

test('a person in a report of modules leads to their attempts, and the number of lines to the lines', async () => {
  const ofPeople = { period: 'all_time', aggregate_by: '' }
  const { lines } = await viewOf('modules-time-to-complete', ofPeople)
  expect(lines.length).toBeGreaterThan(0)
  for (const [person] of lines) {
    expect(person?.to).toMatch(/^\/dashboard\/modules\/[0-9a-f-]{36}\/learners\/[0-9a-f-]{36}\/$/)
  }
  const { figures } = await viewOf('modules-time-to-complete-avg', ofPeople)
  expect(figures.find(({ label }) => label === 'Rows')?.to).toMatch(/modules-time-to-complete-avg\/\?.*#rows$/)
})

test('what nobody is, says or searches for is refused or finds nothing', async () => {
  const read = (filters: object, path = 'logins/total') =>
    getReportPage(admin, { path, question: reportQuestionOf(new URLSearchParams({ period: 'all_time', ...filters })) })
  await expect(read({ site_group: 'Nobody' })).rejects.toThrow(
    'The filter “site_group” can only be “site” or “university” or “external”.',
  )
  expect((await read({ position: 'Astronaut' })).count).toBe(0)
  expect((await read({ term: 'ASSAY: 1' }, 'search_terms/searches')).count).toBe(0)
  for (const [filter, path] of [
    ['question', 'modules/survey'],
    ['position', 'logins'],
    ['term', 'search_terms/searches'],
    ['home_film', 'videos/plays'],
  ] as const) {
    const asked = { module: '00000000-0000-4000-8000-000000000000', [filter]: 'a\u0000' }
    await expect(read(filter === 'question' ? asked : { [filter]: 'a\u0000' }, path), filter).rejects.toThrow(
      `The filter “${filter}” holds characters that cannot be stored.`,
    )
  }
  for (const value of ['x'.repeat(2000), '"\\\n']) {
    expect((await read({ position: value })).count).toBe(0)
    expect((await read({ term: value }, 'search_terms/searches')).count).toBe(0)
    expect((await read({ home_film: value }, 'videos/plays')).count).toBe(0)
  }
  await expect(read({ position: 'x'.repeat(2001) })).rejects.toThrow('is longer than 2000 characters')
  await expect(read({ term: 'assay' })).rejects.toThrow('This report has no filter “term”.')
  expect(findReportOfPage('searches')?.countedIn).toBe('search_terms')
})

test('the table of a chart leads to the answers to each question', async () => {
  const { rows } = await sql<{ uid: string }>`
    with answered as (
      insert into question_answers (seq, site_id, user_id, module_id, kind, question_iri, question, response, is_correct,
        answered_at)
      select 1, ${site.id}, ${people[0].viewer.id}, id, 'quiz', 'https://a.example/1', 'Which dose?', 'A', true, ${now}
      from modules returning module_id)
    select uid from modules join answered on module_id = modules.id`.execute(db)
  const { chart } = await viewOf('modules-quiz-answers', { period: 'all_time' })
  const link = chart?.to?.[0] ?? ''
  expect(chart?.names).toEqual(['Which dose?'])
  const asked = new URL(link, 'http://site').searchParams
  expect(Object.fromEntries(asked)).toMatchObject({ module: rows[0]?.uid, question: 'https://a.example/1' })
  const one = await viewOf('modules-quiz-answers', Object.fromEntries(asked))
  expect([one.chart?.title, one.chart?.to]).toEqual(['Answers to this question', undefined])
})
