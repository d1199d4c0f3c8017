/**
 * `npm run bench -- overview`: measures the overview for staff with 100,000 users and three years of what they did:
 * 1,500,000 sessions, 1,000,000 started modules, 1,000,000 answers to questions and 500,000 searches, 100,000 assignments
 * with a due date, and 300 messages. The limits are 100 ms of the server's own time, from its log, and 12 queries.
 */
import pg from 'pg'
import { requestAsStaff, timesOf } from './console.ts'
import type { Product } from './product.ts'
import { countYears } from './reports-seed.ts'
import { authorNumber, seedBench } from './seed.ts'

const size = { users: 100_000, modules: 200, statements: 1000 }
const times = 41

export async function benchOverview(product: Product): Promise<void> {
  console.log(`Writing ${size.users} users …`)
  await seedBench(product.databaseUrl, size)
  await seedThreeYears(product.databaseUrl)
  const path = '/dashboard/overview/'
  const { median, p95, longest, queries } = await timesOf(product, () => requestAsStaff(product, path), {
    repeats: times,
  })
  console.log(`${path}: ${median} ms, 95% within ${p95} ms, at most ${longest} ms, ${queries} queries`)
}

async function seedThreeYears(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const run = (text: string) => client.query(text)
  const people = `(select array_agg(id) as ids from users where email like 'bench%') people`
  const modules = `(select array_agg(id order by id) as ids from modules where name like 'Bench%') modules`
  const site = `(select id from sites where key = 'institutional')`
  /** A moment of the last three years for each n of so many. */
  const at = (count: number) => `now() - n * interval '1095 days' / ${count}`
  try {
    await run('set session_replication_role = replica')
    await run(`
      insert into user_groups (user_id, name) select id, 'admins' from users
      where email = 'bench${authorNumber}@titrate.example'`)
    await run(`
      insert into visits (site_id, user_id, started_at, last_seen_at)
      select ${site}, people.ids[1 + (n::bigint * 7919 % ${size.users})::int], at, at + interval '9 minutes'
      from generate_series(1, 1500000) n, ${people}, lateral (select ${at(1_500_000)} as at) moment`)
    await run(`
      insert into module_progress (
        user_id, module_id, site_id, progress_percent, highest_score, started_at, last_visited_at, completed_at)
      select people.ids[1 + n % ${size.users}], modules.ids[1 + (n / ${size.users} * 17 + n) % ${size.modules}], ${site},
        case when n % 3 = 0 then 60 else 100 end, n % 101, at, at, case when n % 3 > 0 then least(at + interval '3 days', now()) end
      from generate_series(0, 999999) n, ${people}, ${modules},
        lateral (select ${at(1_000_000).replace('n *', '(n::bigint * 7919 % 1000000) *')} as at) moment
      on conflict do nothing`)
    await run(`
      insert into registrations (site_id, user_id, module_id, module_version_id, number)
      select p.site_id, p.user_id, p.module_id, m.published_version_id, 1
      from module_progress p join modules m on m.id = p.module_id
      where m.name like 'Bench%' and (p.user_id + p.module_id) % 3 = 0 on conflict do nothing`)
    await run(`
      insert into registration_units (registration_id, unit_id, move_on, progress, failed_at, passed_at)
      select r.id, unit.id, 'Passed', 60, ${at(300_000).replace('n *', 'r.id % 300000 *')}, case when r.id % 4 = 0 then now() end
      from registrations r join cmi5_packages p on p.module_version_id = r.module_version_id
        join cmi5_units unit on unit.package_id = p.id and unit.position = 0
      where r.id % 2 = 0 on conflict do nothing`)
    await run(`
      insert into question_answers (seq, site_id, user_id, module_id, kind, question_iri, question, response, is_correct, answered_at)
      select n, ${site}, people.ids[1 + (n::bigint * 7919 % ${size.users})::int], modules.ids[1 + n % ${size.modules}],
        case when n % 5 = 0 then 'survey' else 'quiz' end, 'https://bench.example/q/' || n % 500, 'Question ' || n % 500, 'A',
        n % 3 > 0, ${at(1_000_000)}
      from generate_series(1, 1000000) n, ${people}, ${modules}`)
    await run(`select ensure_event_partitions((now() - interval '37 months')::date, 38)`)
    await run(`
      insert into search_queries (site_id, user_id, at, query, type, results)
      select ${site}, people.ids[1 + (n::bigint * 7919 % ${size.users})::int], ${at(500_000)}, 'Term ' || n % 997, 'all', n % 7
      from generate_series(1, 500000) n, ${people}`)
    await run(`
      insert into module_assignments (site_id, user_id, module_id, due_on)
      select ${site}, people.ids[1 + n % ${size.users}], modules.ids[1 + (n / 7) % ${size.modules}],
        current_date + 180 - (n % 1095)
      from generate_series(1, 100000) n, ${people}, ${modules} on conflict do nothing`)
    await run(`
      update subscriptions set valid_to = now() + make_interval(days => (user_id % 800)::int - 200) where user_id % 2 = 0
        and user_id <> (select id from users where email = 'bench${authorNumber}@titrate.example')`)
    await run(`
      insert into announcements (site_id, name, subject, text, delivery_type, status, sending, send_at, sent_at)
      select ${site}, 'Overview ' || n, 'Overview', 'Words', 'email', case when n > 20 then 'sent' else 'draft' end,
        case when n > 20 then 'done' when n % 4 = 0 then 'late' else 'scheduled' end, now() + make_interval(days => n),
        case when n > 20 then now() - make_interval(days => n) end
      from generate_series(1, 300) n`)
    await run(`
      insert into mails (site_id, kind, user_id, announcement_id, address, address_key, subject, state, next_at, created_at, ended_at)
      select ${site}, 'message', people.ids[n], message.id, n || '@bench.example', n || '@bench.example', 'Overview',
        case when n % 500 = 0 then 'in_doubt' else 'accepted' end, now(), now() - interval '2 days', now()
      from generate_series(1, 100000) n, ${people}, (select id from announcements where name = 'Overview 21') message`)
    await run(countYears)
    await run('vacuum analyze')
  } finally {
    await client.end()
  }
}
