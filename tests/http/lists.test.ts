/** Learners' lists show 24 items on a page. Each has 25 here, so its second page has the last one. */
import { sql } from 'kysely'
import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import type { Database } from '~db/client.server.ts'
import { anAnnouncement } from '../support/announcements.ts'
import { aUser, openTestDatabase } from '../support/context.ts'
import { aCourse } from '../support/courses.ts'
import { aLecture, aVideo } from '../support/films.ts'
import { aBrowser, type Browser, startServer } from '../support/http.ts'

const count = 25
let learner: Browser
/** Has begun Module 1, and her subscription has ended. */
let former: Browser
/** A viewer whose plan includes nothing. */
let other: Browser
const uids = new Map<string, string>()
let databaseUrl: string

beforeAll(async () => {
  const server = await startServer({}, async (url) => {
    const { db, close } = await openTestDatabase(url)
    const viewer = await aUser(db, { email: 'ada@titrate.example' })
    await makeModules(db)
    for (let number = 1; number <= count; number++) {
      await aCourse(db)
      await aLecture(db)
      await aVideo(db)
      await anAnnouncement(db, [viewer], { subject: `Number ${number}` })
    }
    await useEverything(db, viewer.id)
    await makeSoonAndFormer(db)
    await close()
  })
  const enter = async (name: string) => {
    const browser = aBrowser(server)
    await browser.signIn(`${name}@titrate.example`)
    return browser
  }
  learner = await enter('ada')
  former = await enter('former')
  other = await enter('other')
  databaseUrl = server.databaseUrl
})

async function makeModules(db: Database): Promise<void> {
  await sql`
    with made as (
      insert into modules (site_id, name, name_key, search_key, in_self_study)
      select sites.id, 'Module ' || n, 'module ' || n, 'module ' || n, true
      from sites, generate_series(1, ${count}::int) n where sites.key = 'institutional' returning id, site_id
    ), planned as (
      insert into module_access_plans (site_id, module_id, access_plan_id)
      select made.site_id, made.id, access_plans.id from made join access_plans on access_plans.site_id = made.site_id
    ), placed as (
      insert into module_chapters (site_id, module_id, chapter_id, position)
      select site_id, id, (select min(id) from chapters where chapters.site_id = made.site_id), id from made
    )
    insert into module_versions (module_id, version, author_name) select id, 1, 'A' from made`.execute(db)
  await sql`
    update modules set published_version_id = module_versions.id, latest_version_id = module_versions.id
    from module_versions where module_versions.module_id = modules.id`.execute(db)
}

/** Puts the courses in the catalog, and assigns, saves and starts everything. */
async function useEverything(db: Database, userId: number): Promise<void> {
  await sql`
    insert into course_catalog_items (site_id, course_id, rank) select site_id, id, id from courses`.execute(db)
  await sql`
    insert into module_assignments (site_id, user_id, module_id) select site_id, ${userId}, id from modules`.execute(db)
  await sql`
    insert into favorites (site_id, user_id, course_id) select site_id, ${userId}, id from courses`.execute(db)
  await sql`
    insert into course_progress (site_id, user_id, course_id) select site_id, ${userId}, id from courses`.execute(db)
  await sql`
    insert into video_progress (site_id, user_id, video_id, percent, started_at)
    select site_id, ${userId}, id, 10, now() from videos`.execute(db)
  await sql`
    insert into module_progress (site_id, user_id, module_id, started_at, last_visited_at, progress_percent)
    select site_id, ${userId}, id, now(), now() + id * interval '1 second', 10 from modules`.execute(db)
}

async function makeSoonAndFormer(db: Database): Promise<void> {
  const { id } = await aUser(db, { email: 'former@titrate.example' })
  await aUser(db, { email: 'other@titrate.example', plan: null })
  await sql`
    insert into module_progress (site_id, user_id, module_id, progress_percent)
    select site_id, ${id}, id, 60 from modules where name = 'Module 1'`.execute(db)
  await sql`
    update subscriptions set valid_from = now() - interval '9 days', valid_to = now() - interval '1 day'
    where user_id = ${id}`.execute(db)
  await sql`
    with soon as (
      insert into modules (site_id, name, name_key, search_key, coming_soon, in_self_study)
      select id, 'Soon', 'soon', 'soon', true, false from sites where key = 'institutional' returning id, site_id)
    insert into module_access_plans (site_id, module_id, access_plan_id)
    select soon.site_id, soon.id, access_plans.id from soon join access_plans on access_plans.site_id = soon.site_id`.execute(
    db,
  )
  for (const { name, uid } of await db.selectFrom('modules').select(['name', 'uid']).execute()) uids.set(name, uid)
}

const pageOf = (name: string) => ({ path: `/modules/${uids.get(name)}/` })

async function textOf(path: string): Promise<string> {
  const reply = await learner.send({ path })
  expect([path, reply.status]).toEqual([path, 200])
  return reply.text
}

test.each([
  '/courses/?',
  '/modules/?',
  '/modules/?phase=discover&',
  '/videos/?',
  '/videos/?category=animation&',
  '/lectures/?',
  '/all-content/?type=course&',
  '/my-learning/assigned/?',
  '/my-learning/saved/?type=course&',
  '/my-learning/in-progress/?kind=courses&',
  '/my-learning/in-progress/?kind=films&',
  '/my-learning/my-messages/?',
])('L-019 L-020 L-023 L-024 %s shows 24 items and then a second page', async (list) => {
  expect(await textOf(list)).toContain('1–24 of 25')
  expect(await textOf(`${list}page=2`)).toContain('25–25 of 25')
})

test.each([
  ['/my-learning/assigned/?page=9', '/my-learning/assigned/'],
  ['/my-learning/in-progress/?kind=films&page=9', '/my-learning/in-progress/?kind=films'],
  ['/all-content/?type=video&page=9', '/all-content/?type=video'],
  ['/courses/?page=9', '/courses/'],
  ['/modules/?page=99', '/modules/?page=1'],
  ['/videos/?category=animation&page=9', '/videos/?category=animation'],
  ['/my-learning/my-messages/?page=9', '/my-learning/my-messages/'],
  ['/my-progress/?tab=courses&page=9', '/my-progress/?tab=courses&page=1&size=10'],
])('%s says that it is empty and links to the first page', async (beyond, first) => {
  const text = await textOf(beyond)
  expect(text).toContain('This page is empty')
  const href = /href="([^"]*)"[^>]*>Go to the first page</.exec(text)?.[1]
  expect(href?.replaceAll('&amp;', '&')).toBe(first)
})

test.each([
  '/modules/7f0f5f5e-0000-4000-8000-000000000000/',
  '/modules/nothing/',
  '/modules/?launch=7f0f5f5e-0000-4000-8000-000000000000',
  '/module-link/?module=No%20Such%20Module',
  '/viewer/7f0f5f5e-0000-4000-8000-000000000000/',
  '/courses/7f0f5f5e-0000-4000-8000-000000000000/',
  '/my-learning/my-messages/7f0f5f5e-0000-4000-8000-000000000000/',
])('%s is not found', async (path) => {
  expect((await learner.send({ path })).status).toBe(404)
})

test('In Progress shows 24 items of each kind, and the other modules on a second page', async () => {
  const first = await textOf('/my-learning/in-progress/')
  const shown = (text: string) => new Set(text.match(/(?<=>)Module \d+(?=<)/g))
  expect(shown(first).size).toBe(24)
  expect(first).toContain('Show all 25 courses')
  const next = /href="[^"]*\?(after=[^"&]+)"/.exec(first)?.[1]
  const second = shown(await textOf(`/my-learning/in-progress/?${next}`))
  expect([...second]).toEqual(['Module 1'])
})

test('the page of a module that is coming soon says so, and is not there without access', async () => {
  const page = await learner.send(pageOf('Soon'))
  expect([page.status, page.text.includes('This module is announced and not open yet.')]).toEqual([200, true])
  expect(page.text).not.toContain('My attempts')
  expect(page.text).not.toContain('>Start<')
  expect((await other.send(pageOf('Soon'))).status).toBe(404)
  expect((await former.send(pageOf('Soon'))).status).toBe(404)
})

test('after access has ended, the page of a begun module shows its results, and other pages are gone', async () => {
  const page = await former.send(pageOf('Module 1'))
  expect(page.status).toBe(200)
  expect(page.text).toContain('Your access ended on')
  expect(page.text).toContain('Your results stay here.')
  expect(page.text).toContain('60')
  expect(page.text).not.toContain('>Resume<')
  expect((await former.send(pageOf('Module 2'))).status).toBe(404)
  expect((await former.send({ path: '/my-learning/in-progress/' })).text).toContain(pageOf('Module 1').path)
})

test('an empty list does not say what is in it', async () => {
  // The subtitle of a list is its only text of this style.
  for (const path of ['/all-content/', '/modules/', '/courses/', '/videos/', '/lectures/']) {
    const hasSubtitle = async (browser: Browser) => (await browser.send({ path })).text.includes('class="lead muted"')
    expect([path, await hasSubtitle(learner), await hasSubtitle(other)]).toEqual([path, true, false])
  }
})

test('All Content has the same buttons as the list of each kind', async () => {
  expect(await textOf('/all-content/?type=module')).toContain('aria-label="Resume Module 1"')
  // These courses have no module to start with.
  expect(await textOf('/all-content/?type=course')).toContain('role="progressbar"')
  expect(await textOf('/all-content/?type=video')).toMatch(/aria-label="Resume /)
  expect(await textOf('/all-content/?type=lecture')).toMatch(/aria-label="Watch /)
  // The buttons need the form around the list, also without JavaScript.
  expect(await textOf('/all-content/')).toContain('action="/launch/"')
})

test('L-101 the bar has a ring only once there is progress to show', async () => {
  const ring = 'aria-label="My progress"'
  expect(await textOf('/courses/')).toContain(ring)
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('update module_progress set progress_percent = 0')
  await client.end()
  expect(await textOf('/courses/')).not.toContain(ring)
})
