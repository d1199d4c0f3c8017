/**
 * `npm run bench -- console`: measures the console's pages with 100,000 users, 20,000 modules, one of which everybody
 * has opened, 2,000 courses, one of which has 200 modules, 5,000 lectures, 5,000 videos, 5,000 terms and a full trash.
 * Each address is requested seven times, one at a time, after two warm-up requests. The time is the server's own, from
 * its log.
 */
import { writeFileSync } from 'node:fs'
import os from 'node:os'
import pg from 'pg'
import { size as content, seedConsoleContent } from './console-content.ts'
import { send } from './measure.ts'
import type { Product } from './product.ts'
import { authorNumber, seedBench, sessionIdOf } from './seed.ts'

const size = { users: 100_000, modules: 20_000, statements: 1000 }
/** The data model expects so many modules on a site. All others are only in the table. */
const onModulesPage = 2000
const limitMs = 300
const times = 7

type Row = { name: string; path: string; median: number; longest: number; queries: number }

export async function benchConsole(product: Product): Promise<void> {
  console.log(`Writing ${size.users} users and ${size.modules} modules …`)
  await seedBench(product.databaseUrl, size)
  const found = await fillTables(product.databaseUrl)
  const rows: Row[] = []
  const add = (name: string, path: string, figures: Omit<Row, 'name' | 'path'>) => {
    rows.push({ name, path, ...figures })
    console.log(`${figures.median} ms (at most ${figures.longest}), ${figures.queries} queries: ${name}`)
  }
  const paths = [pathsOf(found), coursePathsOf(found), filmPathsOf(found), otherPaths, peoplePathsOf(found)].flat()
  for (const [name, path] of paths) {
    add(name, path, await timesOf(product, () => requestAsStaff(product, path)))
  }
  const { path, save } = await savesOf(product, found)
  add(`saving a course of ${content.modulesOfLongest} modules in another order`, path, await timesOf(product, save))
  writeFileSync('bench/console-results.md', report(rows))
}

type Found = { moduleUid: string; courseUid: string; sectionUid: string; planUid: string; authorUid: string }

/** Everybody has opened the first module; every tenth module has an author, every second a draft, and every fifth a tag. */
async function fillTables(url: string): Promise<Found> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const author = `(select id from users where email = 'bench${authorNumber}@titrate.example')`
    await client.query(`
      insert into module_progress (user_id, module_id, site_id, progress_percent, highest_score, completed_at, started_at)
      select u.id, m.id, u.site_id, u.id % 101, u.id % 97, case when u.id % 101 = 100 then now() end,
        now() - make_interval(mins => (u.id % 500000)::int)
      from users u, (select id from modules where name = 'Bench module 1') m
      where u.email like 'bench%' on conflict do nothing`)
    await client.query(`
      update module_versions v set author_id = ${author} from modules m
      where m.id = v.module_id and m.name like 'Bench%' and m.id % 10 = 0`)
    await client.query(`
      delete from module_chapters where module_id in (
        select id from modules where name like 'Bench%' order by id offset ${onModulesPage})`)
    await client.query(`insert into user_groups (user_id, name) values (${author}, 'admins')`)
    await client.query(`
      update users set last_login_at = now() - make_interval(days => (id % 200)::int), is_active = id % 50 <> 0
      where email like 'bench%' and id <> ${author} and id % 7 <> 0`)
    await client.query(`
      update subscriptions set valid_to = now() + make_interval(days => (user_id % 400 - 100)::int)
      where user_id % 2 = 0 and user_id <> ${author}`)
    await client.query(`update modules set published_version_id = null where name like 'Bench%' and id % 2 = 0`)
    await client.query(`
      update modules set updated_at = now() - make_interval(mins => (id * 7919 % 500000)::int) where name like 'Bench%'`)
    await client.query(`
      with tag as (insert into tags (site_id, text, text_key)
        select id, 'Bench tag', 'bench tag' from sites where key = 'institutional' returning id, site_id)
      insert into module_tags (site_id, module_id, tag_id)
      select m.site_id, m.id, tag.id from modules m, tag where m.name like 'Bench%' and m.id % 5 = 0`)
    await seedConsoleContent((query) => client.query(query))
    // Written at once, each user left four versions behind. A site that grew in years has reused their room.
    await client.query('vacuum full users')
    await client.query('vacuum analyze')
    const { rows } = await client.query<Found>(`
      select m.uid as "moduleUid", s.uid as "sectionUid", p.uid as "planUid",
        (select uid from users where id = ${author}) as "authorUid",
        (select uid from courses where name = 'Console course 1') as "courseUid"
      from modules m join sections s on s.site_id = m.site_id
        join access_plans p on p.site_id = m.site_id and p.name = 'Full Access'
      where m.name = 'Bench module 1' limit 1`)
    const [found] = rows
    if (!found) throw new Error('The bench data is not there')
    return found
  } finally {
    await client.end()
  }
}

function coursePathsOf({ courseUid, planUid, authorUid }: Found): [name: string, path: string][] {
  const table = '/dashboard/courses/'
  const picker = '/dashboard/courses-modules/'
  return [
    ...['name', 'status', 'author', 'version', 'updated'].map((sort): [string, string] => [
      `courses by ${sort}, descending`,
      `${table}?sort=-${sort}`,
    ]),
    ['courses, last page', `${table}?page=200`],
    ['courses found by tag', `${table}?search=bench+tag`],
    ['courses that are drafts', `${table}?filter=status-draft`],
    ['courses of a group', `${table}?filter=group-${planUid}`],
    ['courses of an author', `${table}?filter=author-${authorUid}`],
    [`a course of ${content.modulesOfLongest} modules in its dialog`, `${table}${courseUid}/`],
    ['publishing it, with the learners in the middle', `${table}${courseUid}/publish/`],
    ['removing it, with whom that concerns', `${table}${courseUid}/delete/`],
    ['modules to add to it', picker],
    ['modules to add to it, found by name', `${picker}?search=module+1999`],
    ['modules to add to it, drafts', `${picker}?status=draft`],
  ]
}

function filmPathsOf({ planUid }: Found): [name: string, path: string][] {
  return ['lectures', 'videos'].flatMap((films): [string, string][] => {
    const table = `/dashboard/${films}/`
    return [
      ...['name', 'status', 'phases', 'presenter', 'updated'].map((sort): [string, string] => [
        `${films} by ${sort}, descending`,
        `${table}?sort=-${sort}`,
      ]),
      [`${films}, last page`, `${table}?page=500`],
      [`${films} found by tag`, `${table}?search=bench+tag`],
      [`${films}, a search of one letter`, `${table}?search=e`],
      [`${films} that are drafts`, `${table}?filter=status-draft`],
      [`${films} of a phase`, `${table}?filter=phase-Develop`],
      [`${films} of a group`, `${table}?filter=group-${planUid}`],
    ]
  })
}

const otherPaths: [name: string, path: string][] = [
  ['the glossary', '/dashboard/glossary/'],
  ['the glossary, last page', '/dashboard/glossary/?page=50'],
  ['the glossary, a letter', '/dashboard/glossary/?filter=letter-Q'],
  ['the glossary, a search of one letter', '/dashboard/glossary/?search=e'],
  ['tags', '/dashboard/tags/'],
  ['the page of modules', '/dashboard/modules-page/'],
  ['the page of courses', '/dashboard/courses-page/'],
  ['the trash', '/dashboard/trash/'],
  ['the schedule', '/dashboard/schedule/'],
]

function peoplePathsOf({ planUid }: Found): [name: string, path: string][] {
  const table = '/dashboard/users/'
  const sorts = ['name', 'email', 'joined', 'login', 'plan', 'type', 'until', 'modules', 'courses']
  return [
    ...sorts.flatMap((sort): [string, string][] => [
      [`users by ${sort}`, `${table}?sort=${sort}`],
      [`users by ${sort}, descending`, `${table}?sort=-${sort}`],
    ]),
    ['users, page 4,000', `${table}?page=4000`],
    ['users found by name', `${table}?search=number+9999`],
    ['users, a search of one letter', `${table}?search=e`],
    ['users, a search that finds nothing', `${table}?search=%25_%5C`],
    ['users who are inactive', `${table}?filter=status-inactive`],
    ['users of a plan', `${table}?filter=plan-${planUid}`],
    ['users without a plan', `${table}?filter=plan-none`],
    ['users without an institution', `${table}?filter=institution-none`],
    ['users of a group', `${table}?filter=group-authors`],
    ['users not seen for 90 days', `${table}?filter=login-older`],
    ['users whose access ends in 30 days', `${table}?filter=expiry-30`],
    [
      'users by all of these',
      `${table}?search=number&filter=plan-${planUid}&filter=login-30&filter=expiry-90&sort=-until`,
    ],
    ['admins', `${table}?tab=admins`],
    ['pending users', `${table}?tab=pending`],
    ['institutions', '/dashboard/institutions/'],
    ['invitations of many', '/dashboard/users/invitations/'],
    ['settings', '/dashboard/settings/'],
    ['the audit log', '/dashboard/audit-log/'],
  ]
}

/** Saves the longest course through its form, each time with its sections in the opposite order. */
async function savesOf(product: Product, { courseUid }: Found) {
  const path = `/dashboard/courses/${courseUid}/`
  const address = `http://localhost:${product.port}${path}`
  const save = async () => {
    const page = await (await fetch(address, { headers: { cookie: staffCookie } })).text()
    await requestLine(product)
    const inputs = [...page.matchAll(/<input\b[^>]*>/g)].map(([tag]) => attributesOf(tag))
    const fieldOf = (wanted: string) => inputs.find(({ name }) => name === wanted)?.value ?? ''
    const parts = inputs.filter(({ name = '' }) => /^part-.*-name$/.test(name))
    const sections = fieldOf('outline').split(/ (?=s)/)
    const response = await fetch(address, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: staffCookie },
      body: new URLSearchParams([
        ...['csrf', 'revision', 'uid', 'name'].map((name) => [name, fieldOf(name)]),
        ...parts.map(({ name = '', value = '' }) => [name, value]),
        ['outline', sections.reverse().join(' ')],
        ['intent', 'save'],
      ]),
    })
    if (response.status !== 302) {
      const errors = (await response.text()).match(/class="[^"]*error[^"]*"[^>]*>[^<]*/g)
      throw new Error(`Saving ${path} answered ${response.status}: ${errors?.join(', ')}`)
    }
  }
  return { path, save }
}

function attributesOf(tag: string): Record<string, string | undefined> {
  return Object.fromEntries([...tag.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]))
}

function pathsOf({ moduleUid, sectionUid, planUid, authorUid }: Found): [name: string, path: string][] {
  const modules = '/dashboard/modules/'
  const learners = `${modules}${moduleUid}/report/learners/`
  const sorts = ['name', 'status', 'author', 'version', 'updated', 'completions', 'score']
  const learnerSorts = ['name', 'email', 'started', 'completed', 'progress', 'score']
  return [
    ...sorts.flatMap((sort): [string, string][] => [
      [`modules by ${sort}`, `${modules}?sort=${sort}`],
      [`modules by ${sort}, descending`, `${modules}?sort=-${sort}`],
    ]),
    ['modules, last page', `${modules}?page=2000`],
    ['modules found by name', `${modules}?search=module+1999`],
    ['modules found by tag', `${modules}?search=bench+tag`],
    ['modules, a search of one letter', `${modules}?search=e`],
    ['modules, a search that finds nothing', `${modules}?search=%25_%5C`],
    ['modules that are drafts', `${modules}?filter=status-draft`],
    ['modules that are published', `${modules}?filter=status-published`],
    ['modules, Coming Soon', `${modules}?filter=status-soon`],
    ['modules of a section', `${modules}?filter=section-${sectionUid}`],
    ['modules without a section', `${modules}?filter=section-none`],
    ['modules of a group', `${modules}?filter=group-${planUid}`],
    ['modules of an author', `${modules}?filter=author-${authorUid}`],
    [
      'modules by all of these',
      `${modules}?search=module&filter=status-published&filter=section-${sectionUid}&filter=group-${planUid}&sort=-updated`,
    ],
    ['all that is found, to select it', '/dashboard/modules-rows/?uids=1&search=module'],
    ...learnerSorts.flatMap((sort): [string, string][] => [
      [`learners by ${sort}`, `${learners}?learners.sort=${sort}`],
      [`learners by ${sort}, descending`, `${learners}?learners.sort=-${sort}`],
    ]),
    ['learners, last page', `${learners}?learners.page=10000`],
    ['learners found by name', `${learners}?learners.search=number+9999`],
    ['learners, a search of one letter', `${learners}?learners.search=e`],
    ['learners in progress', `${learners}?learners.filter=state-progress`],
    ['learners who completed', `${learners}?learners.filter=state-completed`],
    ['learners with a unit open', `${learners}?learners.filter=state-open`],
    ['learners of a group', `${learners}?learners.filter=group-${planUid}`],
  ]
}

export const staffCookie = `titrate_session=${sessionIdOf(authorNumber)}`

export async function requestAsStaff(product: Product, path: string): Promise<void> {
  const headers = { host: `localhost:${product.port}`, cookie: staffCookie }
  const status = await send({ name: path, port: product.port, method: 'GET', path, headers })
  if (status !== 200) throw new Error(`${path} answered ${status}:\n${product.takeLog().join('\n')}`)
}

/** The last request that `act` makes counts. */
export async function timesOf(
  product: Product,
  act: () => Promise<void>,
  { repeats = times, warmUps = 2 }: { repeats?: number; warmUps?: number } = {},
): Promise<Omit<Row, 'name' | 'path'> & { p95: number }> {
  const durations: number[] = []
  let queries = 0
  for (let count = 0; count < repeats + warmUps; count += 1) {
    product.takeLog()
    await act()
    const line = await requestLine(product)
    if (count >= warmUps) durations.push(line.durationMs)
    queries = line.queries
  }
  durations.sort((one, other) => one - other)
  const part = (share: number) => durations[Math.floor((durations.length - 1) * share)] ?? 0
  return { median: part(0.5), p95: part(0.95), longest: durations.at(-1) ?? 0, queries }
}

async function requestLine(product: Product): Promise<{ durationMs: number; queries: number }> {
  for (let turn = 0; turn < 100; turn += 1) {
    const line = product.takeLog().find((text) => text.includes('"msg":"request"'))
    if (line) return JSON.parse(line) as { durationMs: number; queries: number }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('The request is not in the log')
}

function report(rows: Row[]): string {
  const slow = rows.filter(({ median }) => median > limitMs)
  return `# Measured by \`npm run bench -- console\`

${os.cpus().length} cores, ${os.cpus()[0]?.model.trim()}, Node ${process.version}; PostgreSQL on the same machine.
${size.modules.toLocaleString('en')} modules (${onModulesPage.toLocaleString('en')} of them in chapters), ${content.courses.toLocaleString('en')} courses, ${content.films.toLocaleString('en')} lectures, as many videos, ${content.terms.toLocaleString('en')} terms, and a module that ${size.users.toLocaleString('en')} people have opened. Server time of the whole page, in ms: the median and the longest of ${times} requests, one at a time.
${slow.length === 0 ? `Every page takes at most ${limitMs} ms.` : `Above ${limitMs} ms: ${slow.map(({ name }) => name).join(', ')}.`}

| page | median | longest | queries |
| --- | ---: | ---: | ---: |
${rows.map(({ name, median, longest, queries }) => `| ${name} | ${median} | ${longest} | ${queries} |`).join('\n')}
`
}
