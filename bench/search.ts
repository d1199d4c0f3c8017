/**
 * `npm run bench -- search`: measures how long the database takes for typical searches in ten thousand documents of a
 * few hundred words each. The limit is 50 ms for 95 of 100.
 */
import pg from 'pg'
import { env, parseEnv } from '../app/config/env.server.ts'
import { siteContext } from '../app/services/context.ts'
import { searchContent, suggestContent } from '../app/services/search/search.server.ts'
import { getSite } from '../app/services/sites/sites.server.ts'
import { createDatabase } from '../db/client.server.ts'
import { benchLog } from './measure.ts'

const size = { videos: 8000, terms: 2000 }
const times = 200

const queries: [name: string, query: string][] = [
  ['a rare word', 'word4711'],
  ['a word of every second document', 'common'],
  ['a word of every document', 'every'],
  ['three words', 'word12 common every'],
  ['the beginning of a word', 'word48'],
  ['a misspelled word', 'pharmecovigilance'],
  ['three misspelled words', 'pharmecovigilance of comon dsoe'],
  ['nothing alike', 'qqqqqqqq'],
  ['only stop words', 'the of and'],
  ['everything but one word', '-word4711'],
]

/** Measures on a database with these documents. Returns a table. */
export async function measureSearch(url: string): Promise<string> {
  parseEnv({ ...process.env, DATABASE_URL: url })
  process.env.DATABASE_URL = url
  env().SEARCHES_PER_MINUTE = 1_000_000
  const { db, pool } = createDatabase({ connectionString: url, poolSize: 2 })
  try {
    const site = await getSite(db, 'institutional')
    const person = await db
      .selectFrom('users')
      .innerJoin('subscriptions', 'subscriptions.user_id', 'users.id')
      .select(['users.id', 'users.uid', 'users.email', 'subscriptions.access_plan_id as planId'])
      .where('users.email', '=', 'bench-search@titrate.example')
      .executeTakeFirstOrThrow()
    const named = { email: person.email ?? '', firstName: 'Bench', lastName: '' }
    const viewer = { ...person, ...named, siteId: site.id, groups: ['learners' as const], accessEndedAt: null }
    const ctx = siteContext({ db, site, log: benchLog, viewer })
    const rows: string[] = []
    for (const [name, query] of queries) {
      const found = await searchContent(ctx, { query })
      rows.push(`| ${name} | ${found.total} | ${await p95(() => searchContent(ctx, { query }))} |`)
    }
    rows.push(`| suggestions for a beginning | | ${await p95(() => suggestContent(ctx, { query: 'word48' }))} |`)
    return `| what | found | p95 in ms |\n| --- | ---: | ---: |\n${rows.join('\n')}`
  } finally {
    await pool.end()
  }
}

async function p95(work: () => Promise<unknown>): Promise<number> {
  const durations: number[] = []
  for (let n = 0; n < times; n++) {
    const startedAt = performance.now()
    await work()
    if (n >= 10) durations.push(performance.now() - startedAt) // the first ones warm up
  }
  durations.sort((a, b) => a - b)
  return Math.round((durations[Math.floor(durations.length * 0.95)] ?? 0) * 10) / 10
}

/**
 * Words follow a power law, as in any text: some are everywhere, most are rare. Needs a migrated database with
 * reference data.
 */
export async function seedDocuments(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const run = (text: string, values: unknown[] = []) => client.query(text, values)
  const site = `(select id from sites where key = 'institutional')`
  try {
    await run(`
      insert into users (site_id, email, email_key, first_name, last_name, search_key, is_active, joined_at)
      values (${site}, 'bench-search@titrate.example', 'bench-search@titrate.example', 'Bench', '', 'bench', true, now())
      on conflict do nothing`)
    await run(`
      insert into subscriptions (site_id, user_id, type, access_plan_id)
      select u.site_id, u.id, 'paid', p.id from users u join access_plans p on p.site_id = u.site_id and p.name = 'Full Access'
      where u.email = 'bench-search@titrate.example' on conflict do nothing`)
    await run(
      `insert into videos (site_id, name, search_key, description, category, status)
       select ${site}, name, lower(name), 'About every word' || n, 'expert', 'published'
       from generate_series(1, $1::int) n, lateral (select 'Film word' || n || ' on Pharmacovigilance ' || n % 97 as name) named`,
      [size.videos],
    )
    await run(`
      insert into video_access_plans (site_id, video_id, access_plan_id)
      select v.site_id, v.id, p.id from videos v join access_plans p on p.site_id = v.site_id and p.name = 'Full Access'
      where v.name like 'Film word%'`)
    await run(
      `insert into glossary_terms (site_id, slug, name, name_key, search_key, definition)
       select ${site}, 'bench-' || n, 'Term ' || n, 'term ' || n, 'term ' || n, 'About every word' || n
       from generate_series(1, $1::int) n`,
      [size.terms],
    )
    await run(`
      insert into search_documents (site_id, kind, entity_id, title, body, search_key, head_tsv, tsv)
      select site_id, kind, id, name, about || ' ' || words, search_key,
        head, head || setweight(to_tsvector('english', words), 'C')
      from (
        select site_id, 'video' as kind, id, name, description as about, search_key from videos where name like 'Film word%'
        union all
        select site_id, 'glossary', id, name, definition, search_key from glossary_terms where slug like 'bench-%') entity,
        lateral (
          select case when id % 2 = 0 then 'common ' else '' end
            || string_agg('word' || floor(20000 * power(random(), 3))::int, ' ') as words
          from generate_series(1, 200 + id::int % 300)) text,
        lateral (
          select setweight(to_tsvector('english', name), 'A') || setweight(to_tsvector('simple', name), 'A')
            || setweight(to_tsvector('english', about), 'B') as head) heads`)
    await run('analyze')
  } finally {
    await client.end()
  }
}
