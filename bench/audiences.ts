/**
 * `npm run bench -- audiences`: measures how long the database takes to count and to list the people of audiences on a
 * site with a hundred thousand people. The limit is 300 ms.
 */
import pg from 'pg'
import type { Condition } from '../app/forms/audiences.ts'
import { countPeopleOfRule, listAudiences } from '../app/services/audiences/audiences.server.ts'
import { listAudiencePeople } from '../app/services/audiences/people.server.ts'
import { createAudience } from '../app/services/audiences/save-audience.server.ts'
import { siteContext } from '../app/services/context.ts'
import { getSite } from '../app/services/sites/sites.server.ts'
import { createDatabase, type Database } from '../db/client.server.ts'
import { benchLog } from './measure.ts'

const people = 100_000
const times = 12

/**
 * People of forty institutions and all plans, with five answers each, progress in five modules and two courses, and four
 * visits in the last year. Needs a migrated database with reference data.
 */
export async function seedAudiences(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const run = (text: string) => client.query(text)
  const site = `(select id from sites where key = 'institutional')`
  const ours = `users.email like 'audience%'`
  try {
    // Does not check foreign keys, which would take most of the time.
    await run('set session_replication_role = replica')
    await run(`
      insert into universities (site_id, name, name_key, search_key)
      select ${site}, 'University ' || n, 'university ' || n, 'university ' || n from generate_series(1, 40) n`)
    await run(`
      insert into users (site_id, email, email_key, first_name, last_name, search_key, is_active, joined_at, last_login_at, university_id)
      select ${site}, mail, mail, 'Person', 'Number ' || n, 'person number ' || n || ' ' || mail, n % 50 > 0,
        now() - make_interval(days => n % 700), now() - make_interval(days => 30 + n % 900),
        (array(select id from universities where name like 'University %' order by id))[1 + n % 41]
      from generate_series(1, ${people}) n, lateral (select 'audience' || n || '@titrate.example' as mail) mail`)
    await run(`insert into user_groups (user_id, name) select id, 'learners' from users where ${ours}`)
    // As the triggers would have marked them.
    await run(`update users set is_learner = true where ${ours}`)
    await run(`
      insert into subscriptions (site_id, user_id, type, access_plan_id, valid_to)
      select site_id, id, 'paid', (array(select id from access_plans where site_id = users.site_id order by id))[1 + id % 2],
        case when id % 4 = 0 then now() - interval '1 day' end
      from users where ${ours} and id % 10 > 0`)
    await run(`
      insert into user_answers (site_id, user_id, question_id)
      select users.site_id, users.id, question.id
      from users join profile_questions question on question.site_id = users.site_id and question.key is not null
      where ${ours}`)
    await run(`
      insert into user_answer_options (answer_id, question_id, option_id)
      select answer.id, answer.question_id,
        (array(select id from profile_options option where option.question_id = answer.question_id order by id))[
          1 + (answer.user_id * 31 + answer.question_id) % (select count(*) from profile_options option where option.question_id = answer.question_id)]
      from user_answers answer join users on users.id = answer.user_id where ${ours}`)
    await run(`
      insert into user_facets (user_id, site_id, option_ids)
      select answer.user_id, answer.site_id, array_agg(picked.option_id)
      from user_answers answer join user_answer_options picked on picked.answer_id = answer.id group by 1, 2`)
    await run(`
      insert into modules (site_id, name, name_key, search_key)
      select ${site}, 'Audience module ' || n, 'audience module ' || n, 'audience module ' || n from generate_series(1, 5) n`)
    await run(`
      insert into module_progress (user_id, module_id, site_id, completed_at)
      select users.id, modules.id, users.site_id, case when (users.id + modules.id) % 3 > 0 then now() end
      from users, modules where ${ours} and modules.name like 'Audience module%' and (users.id * modules.id) % 5 > 0`)
    await run(`
      insert into courses (site_id, name, name_key, search_key)
      select ${site}, 'Audience course ' || n, 'audience course ' || n, 'audience course ' || n from generate_series(1, 2) n`)
    await run(`
      with version as (
        insert into course_versions (site_id, course_id, version, author_name)
        select site_id, id, 1, '' from courses where name like 'Audience course%' returning id, course_id, site_id),
      published as (update courses set published_version_id = version.id from version where version.course_id = courses.id),
      section as (
        insert into course_sections (version_id, name, position) select id, 'S', 0 from version returning id, version_id),
      chapter as (
        insert into course_chapters (site_id, version_id, section_id, position)
        select version.site_id, version.id, section.id, 0 from version join section on section.version_id = version.id
        returning id, site_id)
      insert into course_chapter_modules (site_id, chapter_id, module_id, position)
      select chapter.site_id, chapter.id, modules.id, modules.id
      from chapter, modules where modules.name like 'Audience module%'`)
    await run(`
      insert into course_progress (user_id, course_id, site_id, completed_at)
      select users.id, courses.id, users.site_id, case when users.id % 2 = 0 then now() end
      from users, courses where ${ours} and courses.name like 'Audience course%' and users.id % 3 > 0`)
    await run(`
      insert into visits (site_id, user_id, started_at, last_seen_at)
      select users.site_id, users.id, at, at
      from users, generate_series(1, 4) n, lateral (select now() - make_interval(hours => ((users.id * n * 37) % 8760)::int) as at) at
      where ${ours} and users.id % 6 > 0`)
    await run('vacuum analyze')
  } finally {
    await client.end()
  }
}

type Rule = [name: string, conditions: Condition[]]

/** Measures on a database with these people. Returns a table. */
export async function measureAudiences(url: string): Promise<string> {
  const { db, pool } = createDatabase({ connectionString: url, poolSize: 2 })
  try {
    const site = await getSite(db, 'institutional')
    const ctx = siteContext({ db, site, log: benchLog, isOperator: true })
    const rules = await rulesOf(db)
    const rows: string[] = []
    for (const [name, conditions] of rules) {
      const count = await countPeopleOfRule(ctx, { conditions })
      rows.push(`| ${name} | ${count} | ${await timesOf(() => countPeopleOfRule(ctx, { conditions }))} |`)
    }
    for (const [name, conditions] of rules) await createAudience(ctx, { name, conditions })
    const [first] = (await listAudiences(ctx, { size: 1 })).items
    const list = await timesOf(() => listAudiences(ctx, {}))
    rows.push(`| the list of audiences, with a count of each | ${rules.length} audiences | ${list} |`)
    const audienceUid = first?.uid ?? ''
    const pages: [string, Parameters<typeof listAudiencePeople>[1]][] = [
      [`people of “${first?.name}”`, { audienceUid }],
      ['the same, page 100', { audienceUid, page: 100 }],
      ['the same, found by name', { audienceUid, search: 'number 4711' }],
    ]
    for (const [name, input] of pages) {
      const { total } = await listAudiencePeople(ctx, input)
      rows.push(`| ${name} | ${total} | ${await timesOf(() => listAudiencePeople(ctx, input))} |`)
    }
    return `| what | found | median in ms | longest of ${times} |\n| --- | ---: | ---: | ---: |\n${rows.join('\n')}`
  } finally {
    await pool.end()
  }
}

export async function rulesOf(db: Database): Promise<Rule[]> {
  const uids = async (table: 'universities' | 'modules' | 'courses', name: string) =>
    (await db.selectFrom(table).select('uid').where('name', 'like', name).orderBy('id').execute()).map(({ uid }) => uid)
  const institutions = await uids('universities', 'University %')
  const modules = await uids('modules', 'Audience module %')
  const courses = await uids('courses', 'Audience course %')
  const optionsOf = async (key: string) =>
    (
      await db
        .selectFrom('profile_options')
        .innerJoin('profile_questions', 'profile_questions.id', 'profile_options.question_id')
        .select('profile_options.uid')
        .where('profile_questions.key', '=', key)
        .where('profile_questions.site_id', '=', db.selectFrom('sites').select('id').where('key', '=', 'institutional'))
        .execute()
    ).map(({ uid }) => uid)
  const positions = await optionsOf('position')
  const regions = await optionsOf('region')
  const modalities = await optionsOf('modality')
  const institution: Condition = { about: 'institution', how: 'is', values: institutions.slice(0, 3) }
  const position: Condition = { about: 'position', how: 'is', values: positions.slice(0, 2) }
  const unseen: Condition = { about: 'seen', how: 'not_within', days: 30 }
  const notCompleted: Condition = { about: 'module', how: 'not_completed', values: modules.slice(0, 1) }
  return [
    ['all learners', [{ about: 'group', how: 'is', values: ['learners'] }]],
    ['three institutions', [institution]],
    ['not these three', [{ ...institution, how: 'is_not' }]],
    ['no access plan, or one that has ended', [{ about: 'plan', how: 'is', values: ['none', 'ended'] }]],
    ['two positions', [position]],
    ['all positions', [{ about: 'position', how: 'is', values: positions }]],
    ['not these regions', [{ about: 'region', how: 'is_not', values: regions.slice(0, 4) }]],
    ['no answer about the modality', [{ about: 'modality', how: 'is', values: ['none'] }]],
    ['completed a module', [{ about: 'module', how: 'completed', values: modules.slice(0, 1) }]],
    ['completed none of five modules', [{ about: 'module', how: 'not_completed', values: modules }]],
    ['started a course without completing it', [{ about: 'course', how: 'started', values: courses.slice(0, 1) }]],
    ['not started two courses', [{ about: 'course', how: 'not_started', values: courses }]],
    ['not seen for 30 days', [unseen]],
    ['seen in the last year', [{ about: 'seen', how: 'within', days: 365 }]],
    ['never seen', [{ about: 'seen', how: 'never', days: null }]],
    ['joined in the last 90 days', [{ about: 'joined', how: 'within', days: 90 }]],
    ['institution, module and time', [institution, notCompleted, unseen]],
    [
      'eight conditions',
      [
        { ...institution, how: 'is_not' },
        { about: 'group', how: 'is', values: ['learners'] },
        { about: 'plan', how: 'is_not', values: ['none'] },
        { ...position, how: 'is_not' },
        { about: 'region', how: 'is', values: regions.slice(0, 8) },
        { about: 'modality', how: 'is', values: modalities.slice(0, 5) },
        notCompleted,
        unseen,
      ],
    ],
  ]
}

/** The median and the longest of several runs, without the first two. */
async function timesOf(work: () => Promise<unknown>): Promise<string> {
  const durations: number[] = []
  for (let n = 0; n < times + 2; n++) {
    const startedAt = performance.now()
    await work()
    if (n >= 2) durations.push(performance.now() - startedAt)
  }
  durations.sort((one, other) => one - other)
  return `${Math.round(durations[times / 2] ?? 0)} | ${Math.round(durations.at(-1) ?? 0)}`
}
