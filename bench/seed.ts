/** Fills the measured database in bulk: many people, modules and statements. */
import { createHash } from 'node:crypto'
import pg from 'pg'
import { type Run, seedLearning } from './seed-learning.ts'

export type Size = { users: number; modules: number; statements: number }

/** The person with this number is also an author. */
export const authorNumber = 3

/** The person with this number has not answered the questionnaire. */
export const unansweredNumber = 32

/** The session id of learner n. The bench knows it; the database stores its hash, as for any other session. */
export function sessionIdOf(n: number): string {
  return `bench-session-${n}`
}

export async function seedBench(url: string, size: Size): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const run: Run = (text, values = []) => client.query(text, values)
  try {
    await run(
      `
      insert into users (site_id, email, email_key, first_name, last_name, search_key, is_active, joined_at)
      select (select id from sites where key = 'institutional'), 'bench' || n || '@titrate.example', 'bench' || n || '@titrate.example',
        'Person', 'Number ' || n, 'person number ' || n, true, now()
      from generate_series(1, $1::int) n`,
      [size.users],
    )
    await run(`insert into user_groups (user_id, name) select id, 'learners' from users where email like 'bench%'`)
    await run(`insert into user_groups (user_id, name) select id, 'authors' from users where email = $1`, [
      `bench${authorNumber}@titrate.example`,
    ])
    // People without answers would be sent to the questionnaire, and nothing else would be measured.
    await run(`
      insert into user_answers (site_id, user_id, question_id)
      select q.site_id, u.id, q.id from users u join profile_questions q on q.site_id = u.site_id and q.is_required
      where u.email like 'bench%' and u.email <> 'bench${unansweredNumber}@titrate.example'`)
    await run(`
      insert into user_answer_options (answer_id, question_id, option_id)
      select a.id, a.question_id, (select o.id from profile_options o where o.question_id = a.question_id order by o.position limit 1)
      from user_answers a join users u on u.id = a.user_id where u.email like 'bench%'`)
    await run(`
      insert into subscriptions (site_id, user_id, type, access_plan_id)
      select u.site_id, u.id, 'paid', p.id from users u join access_plans p on p.site_id = u.site_id and p.name = 'Full Access'
      where u.email like 'bench%'`)
    await run(
      `
      insert into modules (site_id, name, name_key, search_key, description)
      select (select id from sites where key = 'institutional'), 'Bench module ' || n, 'bench module ' || n, 'bench module ' || n,
        'What a module of this size says about itself, in a sentence or two, as authors write it.'
      from generate_series(1, $1::int) n`,
      [size.modules],
    )
    await run(`
      insert into module_access_plans (site_id, module_id, access_plan_id)
      select m.site_id, m.id, p.id from modules m join access_plans p on p.site_id = m.site_id where m.name like 'Bench%'`)
    await run(`
      insert into module_chapters (site_id, module_id, chapter_id, position)
      select m.site_id, m.id, (select id from chapters where site_id = m.site_id order by id offset m.id % 10 limit 1), m.id
      from modules m where m.name like 'Bench%'`)
    await run(
      `insert into module_versions (module_id, version, published_at) select id, 1, now() from modules where name like 'Bench%'`,
    )
    await run(`
      update modules m set published_version_id = v.id, latest_version_id = v.id
      from module_versions v where v.module_id = m.id and m.name like 'Bench%'`)
    await run(`
      insert into cmi5_packages (module_version_id, status, publisher_id, title, description)
      select v.id, 'parsed', 'https://bench.example/' || m.id, '{"en":"Bench"}', '{"en":"Bench"}'
      from module_versions v join modules m on m.id = v.module_id where m.name like 'Bench%'`)
    await run(`
      insert into cmi5_units (package_id, publisher_id, iri, title, description, position, url, launch_method, move_on)
      select p.id, p.publisher_id || '/au/' || n, p.publisher_id || '/iri/' || n, '{"en":"Unit"}', '{"en":"Unit"}', n,
        'https://bench.example/unit/index.html', 'AnyWindow', 'Completed'
      from cmi5_packages p, generate_series(0, 1) n where p.publisher_id like 'https://bench%'`)
    await seedProgress(run, size)
    await seedLearning(run)
    for (let n = 1; n <= 32; n++) {
      await run(
        `insert into sessions (id_hash, user_id, expires_at)
         select $1, id, now() + interval '1 day' from users where email = 'bench' || $2::int || '@titrate.example'`,
        [createHash('sha256').update(sessionIdOf(n)).digest(), n],
      )
    }
    await run('analyze')
  } finally {
    await client.end()
  }
}

/** Progress in twenty modules for each of the first thousand people, and statements for everybody. */
async function seedProgress(run: Run, size: Size): Promise<void> {
  await run(`
    insert into module_progress (user_id, module_id, site_id, progress_percent, highest_score, completed_at)
    select u.id, m.id, u.site_id, (u.id * m.id) % 101, 70, case when (u.id * m.id) % 101 = 100 then now() end
    from (select * from users where email like 'bench%' order by id limit 1000) u
    cross join lateral (select * from modules where name like 'Bench%' order by id offset u.id % 900 limit 20) m`)
  await run(`insert into xapi_verbs (iri) values ('http://adlnet.gov/expapi/verbs/experienced') on conflict do nothing`)
  await run(`insert into xapi_agents (identifier) select 'bench-agent-' || n from generate_series(1, 1500) n`)
  await run(`
    insert into xapi_activities (site_id, iri)
    select (select id from sites where key = 'institutional'), 'https://bench.example/activity/' || n from generate_series(1, 1000) n`)
  await run(
    `
    insert into xapi_statements (seq, site_id, statement_id, occurred_at, verb_id, actor_id, object_activity_id, authority_id, body)
    select 1700000000000000 + n * 10, (select id from sites where key = 'institutional'), gen_random_uuid(), now() - make_interval(secs => n),
      (select id from xapi_verbs limit 1), agents.ids[1 + n % 1500], activities.ids[1 + n % 1000], agents.ids[1],
      '{"id":"' || n || '","padding":"' || repeat('x', 1000) || '"}'
    from generate_series(1, $1::int) n,
      (select array_agg(id) as ids from xapi_agents where identifier like 'bench%') agents,
      (select array_agg(id) as ids from xapi_activities where iri like 'https://bench%') activities`,
    [size.statements],
  )
  await run(`
    insert into xapi_statement_ids (site_id, statement_id, seq, content_hash)
    select site_id, statement_id, seq, '\\x00' from xapi_statements where body like '%padding%'`)
}
