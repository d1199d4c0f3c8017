import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { findSection } from '~/components/console/sections.ts'
import { migrations } from '../migrations/index.ts'

/** The domain that writes each table. Tables that nobody writes yet are missing. */
const owners: Record<string, string> = {
  installation: 'sites',
  sites: 'sites',
  feature_flags: 'sites',
  attempt_limits: 'limits',
  job_workers: 'queue',
  audit_entries: 'audit',
  audit_seals: 'audit',
  person_years: 'figures',
  bulk_operations: 'bulk',
  bulk_items: 'bulk',
  bulk_failures: 'bulk',
  stored_files: 'storage',
  uploads: 'uploads',
  sessions: 'sessions',
  session_views: 'sessions',
  visits: 'sessions',
  tags: 'tags',
  form_drafts: 'drafts',
  removed_tags: 'tags',
  removed_universities: 'users',
  removed_university_people: 'users',
  scheduled_changes: 'schedule',
  link_checks: 'checks',
  preview_links: 'previews',
  access_plans: 'access',
  access_renewals: 'users',
  standing_assignments: 'assignments',
  standing_assignment_people: 'assignments',
  module_access_plans: 'access',
  course_access_plans: 'access',
  lecture_access_plans: 'access',
  video_access_plans: 'access',
  module_tags: 'access',
  course_tags: 'access',
  lecture_tags: 'access',
  video_tags: 'access',
  universities: 'institutions',
  profile_questions: 'questionnaire',
  profile_options: 'questionnaire',
  profile_option_tags: 'questionnaire',
  user_answers: 'questionnaire',
  user_answer_options: 'questionnaire',
  user_facets: 'questionnaire',
  sections: 'sections',
  chapters: 'sections',
  search_documents: 'search',
  search_queries: 'events',
  glossary_settings: 'glossary',
  glossary_terms: 'glossary',
  users: 'users',
  user_groups: 'users',
  subscriptions: 'users',
  one_time_tokens: 'accounts',
  account_mails: 'accounts',
  address_changes: 'accounts',
  access_tokens: 'accounts',
  logins: 'accounts',
  invitations: 'invitations',
  invited_list_rows: 'invitations',
  invited_lists: 'invitations',
  cmi5_packages: 'packages',
  cmi5_blocks: 'packages',
  cmi5_units: 'packages',
  cmi5_objectives: 'packages',
  modules: 'modules',
  module_versions: 'modules',
  module_chapters: 'modules',
  unit_overrides: 'modules',
  courses: 'courses',
  course_versions: 'courses',
  course_sections: 'courses',
  course_chapters: 'courses',
  course_chapter_modules: 'courses',
  course_catalog_items: 'courses',
  favorites: 'favorites',
  audiences: 'audiences',
  module_assignments: 'assignments',
  course_assignments: 'assignments',
  assignment_operations: 'assignments',
  replaced_assignments: 'assignments',
  assignment_reminders: 'assignments',
  reminded_assignments: 'assignments',
  lectures: 'lectures',
  lecture_chapters: 'lectures',
  videos: 'videos',
  film_captions: 'films',
  replaced_files: 'storage',
  mails: 'mail',
  mail_suppressions: 'mail',
  announcement_audiences: 'announcements',
  announcements: 'announcements',
  announcement_files: 'announcements',
  announcement_links: 'announcements',
  announcement_recipients: 'announcements',
  saved_views: 'reports',
  scheduled_reports: 'reports',
  scheduled_report_recipients: 'reports',
  report_runs: 'reports',
  report_run_people: 'reports',
  report_files: 'reports',
  events: 'events',
  video_plays: 'events',
  lecture_progress: 'progress',
  video_progress: 'progress',
  module_progress: 'progress',
  course_progress: 'progress',
  question_answers: 'progress',
  registrations: 'cmi5',
  registration_units: 'cmi5',
  registration_blocks: 'cmi5',
  launch_sessions: 'cmi5',
  xapi_statements: 'xapi',
  xapi_statement_ids: 'xapi',
  xapi_statement_related: 'xapi',
  xapi_agents: 'xapi',
  xapi_verbs: 'xapi',
  xapi_activities: 'xapi',
  xapi_documents: 'xapi',
  xapi_attachments: 'xapi',
  xapi_statement_attachments: 'xapi',
  xapi_clients: 'xapi',
  xapi_forwards: 'xapi',
  xapi_reference_related: 'xapi',
  xapi_statement_references: 'xapi',
  xapi_forward_sites: 'xapi',
}

/** These functions take the table's name from a map in their own domain, where the test below cannot read it. */
const writersByMap = [
  'app/services/access/parts-writes.server.ts',
  'app/services/assignments/assign-content.server.ts',
  'app/services/assignments/assignments.server.ts',
  'app/services/assignments/change-due.server.ts',
  'app/services/assignments/pairs.server.ts',
  'app/services/assignments/run-assignment.server.ts',
  'app/services/assignments/unassign-one.server.ts',
  'app/services/films/vimeo.server.ts',
  'app/services/progress/films.server.ts',
]

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
}

test('imports keep to the layers and to the order of the domains', async () => {
  const run = promisify(execFile)
  const { stdout } = await run(
    'node_modules/.bin/depcruise',
    ['app', 'db', 'seed', 'server', 'migrations', '--config', '.dependency-cruiser.cjs', '--output-type', 'json'],
    { maxBuffer: 200_000_000 },
  ).catch((error: { stdout: string }) => error)
  const { summary } = JSON.parse(stdout) as {
    summary: { violations: { rule: { name: string }; from: string; to: string }[] }
  }
  expect(
    summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`),
    'docs/architecture.md says who may import what, .dependency-cruiser.cjs checks it',
  ).toEqual([])
}, 60_000)

test('a domain writes only its own tables', async () => {
  const writes =
    /(?:insertInto|updateTable|deleteFrom|mergeInto)\(\s*'(\w+)(?: as \w+)?'|\b(?:insert into|delete from)\s+(\w+)|\bupdate\s+(\w+)(?:\s+\w+)?\s+set\b/g
  const wrong: string[] = []
  const byMap: string[] = []
  for (const file of await filesUnder('app/services')) {
    const domain = file.split(path.sep)[2] ?? ''
    const source = await readFile(file, 'utf8')
    if (/\b(?:insert into|delete from|update) \$\{|(?:insertInto|updateTable|deleteFrom|mergeInto)\([^']/.test(source))
      byMap.push(file)
    for (const match of source.matchAll(writes)) {
      const table = match[1] ?? match[2] ?? match[3] ?? ''
      if (owners[table] !== domain)
        wrong.push(`${file} writes ${table}, which belongs to ${owners[table] ?? 'nobody yet'}`)
    }
  }
  expect(wrong, 'call the owner of the table; add a new table to `owners` above').toEqual([])
  expect(byMap.sort(), 'name the table in the statement, so that this test can read it').toEqual(writersByMap)
})

test('only the parsed settings read the environment', async () => {
  const readers: string[] = []
  for (const file of await filesUnder('app')) {
    if (file.endsWith(path.join('config', 'env.server.ts'))) continue
    if (/process\.env/.test(await readFile(file, 'utf8'))) readers.push(file)
  }
  expect(readers, 'read env() of app/config/env.server.ts').toEqual([])
})

test('each loader and action of the console has its guard', async () => {
  const open: string[] = []
  for (const file of (await filesUnder('app/routes')).filter((name) => /routes\/dashboard/.test(name))) {
    const source = await readFile(file, 'utf8')
    for (const [, name = ''] of source.matchAll(/export async function (loader|action)\b/g)) {
      const body = source.slice(source.indexOf(`export async function ${name}`)).split('\n}', 1)[0] ?? ''
      if (!/require(Console|Admin|Section|Parts)\(/.test(body)) open.push(`${file}: ${name}`)
    }
  }
  expect(open, 'call requireConsole, requireAdmin or requireSection in each').toEqual([])
})

test('the guard of each section keeps to its groups and its feature flag', async () => {
  const open: string[] = []
  const sections = new Set<string>()
  for (const file of await filesUnder('app/routes')) {
    const [, id] = /routes\/dashboard\.([a-z-]+?)(?:-rows)?_?\./.exec(file) ?? []
    const section = findSection(id)
    if (!section) continue
    sections.add(section.id)
    const source = await readFile(file, 'utf8')
    if (section.flag && !/requireSection\(/.test(source)) open.push(`${file}: requireSection`)
    else if (section.groups?.join() === 'admins' && /requireConsole\(/.test(source)) open.push(`${file}: requireAdmin`)
  }
  expect(open, 'call this guard: components/console/sections.ts says whom the section is for').toEqual([])
  expect([...sections]).toEqual(expect.arrayContaining(['modules', 'outbox']))
})

test('each action checks the token of its form', async () => {
  const open: string[] = []
  for (const file of await filesUnder('app/routes')) {
    const source = await readFile(file, 'utf8')
    const action = source.split('export async function action', 2)[1]?.split('\n}', 1)[0]
    const isChecked = action === undefined || /with(Form|Button)\(/.test(action) || /: Promise<never>/.test(action)
    if (!isChecked || /export (const|\{[^}]*\b)action\b/.test(source)) open.push(file)
  }
  expect(
    open,
    'write `async function action`, and run its work by withForm or withButton of http/respond.server.ts',
  ).toEqual([])
})

test('the list of migrations matches the folder', async () => {
  const files = (await readdir('migrations'))
    .filter((name) => name !== 'index.ts')
    .map((name) => name.replace(/\.ts$/, ''))
  expect(Object.keys(migrations), 'list each file in migrations/index.ts, in the order of their names').toEqual(
    files.sort(),
  )
  for (const file of files) {
    expect(await readFile(`migrations/${file}.ts`, 'utf8')).not.toMatch(/from '(\.\.|~)/)
  }
})
