/**
 * Three years of what people did, for the benchmark of the reports: five million events in the tables that reports read, and
 * two million statements with the progress and answers that come from them. Written in bulk and without checks.
 */
import pg from 'pg'
import { authorNumber, seedBench } from './seed.ts'

const share = (scale: number) => (count: number) => Math.max(Math.round(count * scale), 100)

/** At a scale of 1. Logins, visits, searches and plays are the five million events. */
export const reportSize = {
  users: 100_000,
  modules: 200,
  statements: 2_000_000,
  logins: 1_500_000,
  visits: 1_800_000,
  searches: 700_000,
  plays: 1_000_000,
  started: 1_000_000,
  quizAnswers: 1_000_000,
  surveyAnswers: 200_000,
  terms: 5000,
  institutions: 300,
  messages: 300,
}

export async function seedReports(url: string, scale: number): Promise<void> {
  const of = share(scale)
  const users = of(reportSize.users)
  await seedBench(url, { users, modules: reportSize.modules, statements: 100 })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const run = async (what: string, text: string) => {
    const startedAt = Date.now()
    await client.query(text)
    if (what) console.log(`${what}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s`)
  }
  const site = `(select id from sites where key = 'institutional')`
  const numbered = (name: string, from: string) =>
    run('', `create temp table ${name} as select row_number() over (order by id) - 1 as n, * from ${from}`)
  /** Somebody: a few are busy, and most come now and then. A prime number scatters them in time. */
  const person = `
    join person on person.n = floor(${users} * power(((i::bigint * 7919) % 1000003) / 1000003::float8, 1.5))::int`
  /** A moment of the last three years, the later the larger i is, as rows are written in the order of time. */
  const at = (i: string, count: number) => `now() - interval '1095 days' * ((${count} - ${i}) / ${count}::float8)`
  try {
    // The first author is the admin of the benchmark.
    await run(
      '',
      `insert into user_groups (user_id, name) select id, 'admins' from users
      where email = 'bench${authorNumber}@titrate.example'`,
    )
    await run('', 'set session_replication_role = replica')
    // A hash join keeps the order of time, in which rows come to be.
    await run('', `set work_mem = '256MB'`)
    await run('', `set maintenance_work_mem = '256MB'`)
    await run('', 'set synchronous_commit = off')
    await run('', 'set enable_mergejoin = off')
    await run('', `select ensure_event_partitions((now() - interval '37 months')::date, 38)`)
    await run(
      'institutions',
      `
      insert into universities (site_id, name, name_key, search_key)
      select ${site}, 'Bench institution ' || n, 'bench institution ' || n, 'bench institution ' || n
      from generate_series(1, ${reportSize.institutions}) n`,
    )
    await run(
      'people',
      `
      update users set university_id = list.ids[1 + users.id % ${reportSize.institutions}],
        joined_at = now() - (users.id % 1095) * interval '1 day',
        last_login_at = now() - (users.id % 200) * interval '1 day'
      from (select array_agg(id) as ids from universities where name like 'Bench%') list
      where email like 'bench%' and users.id % 20 > 0`,
    )
    await run(
      'facets',
      `
      insert into user_facets (user_id, site_id, institution_type, position, group_key)
      select id, site_id, 'Academia',
        (array['Professor', 'Postdoc', 'Student', 'Staff', 'Industry', 'Other', ''])[1 + id % 7],
        (array['site', 'university', 'external'])[1 + id % 3]
      from users where email like 'bench%' on conflict do nothing`,
    )
    const indexes = await takeIndexes(client)
    await numbered('person', `(select id from users where email like 'bench%') people`)
    await numbered('module', `(select id from modules where name like 'Bench%') modules`)
    await numbered('video', `(select id, uid from videos where name like 'Bench%') videos`)
    await run('', 'analyze person')
    await run(
      'logins',
      `
      insert into logins (site_id, user_id, at)
      select ${site}, person.id, ${at('i', of(reportSize.logins))}
      from generate_series(1, ${of(reportSize.logins)}) i ${person}`,
    )
    await run(
      'visits',
      `
      insert into visits (site_id, user_id, started_at, last_seen_at)
      select ${site}, person.id, at, at + (i % 3000) * interval '1 second'
      from generate_series(1, ${of(reportSize.visits)}) i ${person},
        lateral (select ${at('i', of(reportSize.visits))} as at) moment`,
    )
    await run(
      'searches',
      `
      insert into search_queries (site_id, user_id, at, query, type, results)
      select ${site}, person.id, ${at('i', of(reportSize.searches))},
        'Term ' || floor(${reportSize.terms} * power(((i::bigint * 104729) % 1000003) / 1000003::float8, 3)), 'all', i % 7
      from generate_series(1, ${of(reportSize.searches)}) i ${person}`,
    )
    await run(
      'plays',
      `
      insert into video_plays (site_id, user_id, subject, subject_uid, title, started_at, last_at, seconds, max_percent,
        completed_at)
      select ${site}, person.id, 'video', video.uid, 'Bench video', at, at + interval '5 minutes',
        i % 301 + 0.25, i % 101, case when i % 101 > 90 then at + interval '5 minutes' end
      from generate_series(1, ${of(reportSize.plays)}) i ${person}
        join video on video.n = i % 300, lateral (select ${at('i', of(reportSize.plays))} as at) moment`,
    )
    const started = of(reportSize.started)
    await run(
      'started modules',
      `
      insert into module_progress (
        user_id, module_id, site_id, progress_percent, highest_score, started_at, last_visited_at, completed_at)
      select person.id, module.id, ${site}, case when i % 3 = 0 then 60 else 100 end, i % 101, at, at,
        case when i % 3 > 0 then least(at + i % 4000 * interval '13 minutes', now()) end
      from generate_series(0, ${started - 1}) i join person on person.n = i % ${users}
        join module on module.n = (i / ${users} * 17 + i) % ${reportSize.modules},
        lateral (select ${at(`(i::bigint * 7919 % ${started})`, started)} as at) moment
      on conflict do nothing`,
    )
    await run(
      'answers',
      `
      insert into question_answers (
        seq, site_id, user_id, module_id, kind, question_iri, question, response, is_correct, score_scaled, answered_at)
      select i, ${site}, person.id, module.id, case when i % 6 = 0 then 'survey' else 'quiz' end,
        'https://bench.example/q/' || i % 1200,
        'What does the assay of question ' || i % 1200 || ' show, and what else has to be ruled out?',
        'The answer "' || (array['alpha', 'beta', 'gamma', 'delta'])[1 + i % 4] || '"',
        case when i % 6 > 0 then i % 4 > 0 end, case when i % 6 > 0 then (i % 101) / 100.0 end,
        ${at('i', of(reportSize.quizAnswers + reportSize.surveyAnswers))}
      from generate_series(1, ${of(reportSize.quizAnswers + reportSize.surveyAnswers)}) i ${person}
        join module on module.n = i % ${reportSize.modules}`,
    )
    await run(
      'messages',
      `
      with message as (
        insert into announcements (site_id, name, subject, text, delivery_type, status, sending, send_at, sent_at)
        select ${site}, 'Report ' || n, 'Report', 'Words', 'email', 'sent', 'done', at, at
        from generate_series(1, ${reportSize.messages}) n, lateral (select now() - n * interval '3 days' as at) moment
        returning id, sent_at)
      insert into announcement_recipients (site_id, announcement_id, user_id, channel, state, sent_at, opened_at)
      select ${site}, message.id, person.id, 'email', 'sent', sent_at, case when person.id % 3 = 0 then sent_at end
      from message, person where person.n < ${of(1000)}`,
    )
    await run(
      'statements',
      `
      insert into xapi_statements (
        seq, site_id, statement_id, occurred_at, verb_id, actor_id, object_activity_id, authority_id, body)
      select 1600000000000000 + i * 10, ${site}, gen_random_uuid(), ${at('i', of(reportSize.statements))},
        (select id from xapi_verbs limit 1), agents.ids[1 + i % 1500], activities.ids[1 + i % 1000], agents.ids[1],
        '{"id":"' || i || '","padding":"' || repeat('x', 600) || '"}'
      from generate_series(1, ${of(reportSize.statements)}) i,
        (select array_agg(id) as ids from xapi_agents where identifier like 'bench%') agents,
        (select array_agg(id) as ids from xapi_activities where iri like 'https://bench%') activities`,
    )
    await run('indexes', indexes.join(';'))
    await run('figures', countYears)
    await run('', 'set session_replication_role = default')
    await run('analyze', 'vacuum analyze')
  } finally {
    await client.end()
  }
}

/** What the triggers would have counted. */
export const countYears = `
  select rebuild_person_years(site_id, min(id), max(id)) from users group by site_id;
  update sites set figures_zone = time_zone`

const filled = `'logins', 'visits', 'search_queries', 'video_plays', 'module_progress', 'question_answers', 'xapi_statements'`

/** Drops the indexes of the tables that get the most rows, and returns what makes them again: that is faster. */
async function takeIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; text: string }>(`
    select indexname as name, indexdef as text from pg_indexes
    where schemaname = 'public' and tablename in (${filled})
      and not exists (select from pg_constraint where conindid = indexname::regclass)`)
  for (const { name } of rows) await client.query(`drop index ${name}`)
  // The index of a partitioned table is written without its parts, and would not be used.
  return rows.map(({ text }) => text.replace(' ON ONLY ', ' ON '))
}
