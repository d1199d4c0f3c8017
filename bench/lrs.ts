/**
 * `npm run bench:lrs`: fills the record store of the production server with a million statements, and measures how fast
 * it stores and returns more. Writes bench/lrs-results.md. `npm run bench:lrs -- 3000000` uses more, and
 * `npm run bench:lrs -- 1000000 dozen` a site with a dozen activities; both write a file of their own and leave out the
 * five minutes that show how memory is used.
 */
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import os from 'node:os'
import { parseEnv } from '../app/config/env.server.ts'
import { siteContext } from '../app/services/context.ts'
import { getSite } from '../app/services/sites/sites.server.ts'
import { createClient } from '../app/services/xapi/xapi.server.ts'
import { createDatabase } from '../db/client.server.ts'
import { type Call, type Load, runLoad } from './load.ts'
import { combinedFilters, type Facts, type Filter, factsOf, singleFilters } from './lrs-filters.ts'
import {
  actorOf,
  aWriter,
  type Crowd,
  courseOf,
  crowd,
  filmOf,
  type Made,
  smallCrowd,
  unitOf,
  verbs,
} from './lrs-statements.ts'
import { benchLog } from './measure.ts'
import type { Part, Product } from './product.ts'

type Memory = { when: string } & Record<Part, number>
type Row = Load & { name: string; clients: number; statements?: number }

const json = { 'content-type': 'application/json' }
const batchSize = 50
/** How many statements are written before the first figure. */
export const usualSize = 1_000_000

type Run = (
  clients: number,
  seconds: number,
  next: (client: number, before: string | null) => Call | undefined,
) => Promise<Load>
/** How long the slowest of many filters took. */
type Filters = {
  when: string
  clients: number
  count: number
  slow: number
  slowest: { filter: Filter; p95: number }[]
}

export async function benchLrs(product: Product, size: number, isSmall: boolean): Promise<void> {
  const people = isSmall ? smallCrowd : crowd
  const variant = [...(size === usualSize ? [] : [size]), ...(isSmall ? ['dozen'] : [])].join('-')
  const headers = { authorization: await makeKey(product.databaseUrl), 'x-experience-api-version': '1.0.3' }
  const run: Run = (clients, seconds, next) => runLoad({ port: product.port, clients, seconds, headers, next })
  const memory: Memory[] = []
  const noteMemory = (when: string) => memory.push({ when, ...product.memoryByPart() })
  noteMemory('at rest')
  console.log(`Writing ${size.toLocaleString('en')} statements …`)
  const { sample, facts } = await fill(run, size, people)
  const filters: Filters[] = [await measureFilters(run, facts, { when: 'right after loading', clients: 1, size })]
  await analyse(product.databaseUrl)
  for (const clients of [1, 8]) filters.push(await measureFilters(run, facts, { when: 'after ANALYZE', clients, size }))
  noteMemory(`${size.toLocaleString('en')} statements later`)
  const rows: Row[] = []
  const measure = async (name: string, clients: number, next: Parameters<typeof run>[2], statements = 0) => {
    const load = await run(clients, 10, next)
    rows.push({ name, clients, ...load, ...(statements > 0 && { statements: load.perSecond * statements }) })
    console.log(rows.at(-1))
  }
  const read = (name: string, path: (n: number) => string) => {
    let n = 0
    return measure(name, 8, () => ({ method: 'GET', path: `/xapi/statements?${path(n++)}` }))
  }
  for (const clients of [1, 16]) await measure('POST of one', clients, posts(clients, 1, people), 1)
  for (const clients of [1, 4, 16])
    await measure(`POST of ${batchSize}`, clients, posts(clients, batchSize, people), batchSize)
  await measure('PUT and GET of state', 16, states())
  noteMemory('after the writing')
  const agentOf = (n: number) => encodeURIComponent(JSON.stringify(actorOf((n * 7) % people.actors)))
  const registrations = sample.flatMap((made) => registrationOf(made) ?? [])
  await read('GET by registration', (n) => `registration=${registrations[(n * 13) % registrations.length]}`)
  await read('GET by agent, limit 25', (n) => `agent=${agentOf(n)}&limit=25`)
  await read(
    'GET by verb and activity, limit 25',
    (n) =>
      `verb=${encodeURIComponent(verbs.completed)}&activity=${encodeURIComponent(unitOf(n % people.units))}&limit=25`,
  )
  await read('GET by activity, limit 25', (n) => `activity=${encodeURIComponent(filmOf(n % people.films))}&limit=25`)
  await read(
    'GET with related activities, limit 25',
    (n) => `related_activities=true&activity=${encodeURIComponent(courseOf(n % Math.min(40, people.units)))}&limit=25`,
  )
  await read(
    'GET by agent and verb, limit 25',
    (n) => `agent=${agentOf(n)}&verb=${encodeURIComponent(verbs.answered)}&limit=25`,
  )
  await read(
    'GET by since and until, limit 25',
    () => `since=2026-01-01T00:00:00Z&until=${new Date().toISOString()}&limit=25`,
  )
  await read('GET by its id', (n) => `statementId=${(sample[(n * 13) % sample.length] as Made).id}`)
  noteMemory('after the reading')
  const walk = await walkAll(product.port, headers)
  noteMemory('after the walk')
  // Repeats everything in turns, to tell a cache that fills up from memory that is never freed.
  const write = posts(8, batchSize, people)
  let turn = 0
  const minutes = variant === '' ? 5 : 0
  for (let minute = 1; minute <= minutes; minute++) {
    await run(8, 60, (client) =>
      client < 2 ? write(client) : { method: 'GET', path: `/xapi/statements?agent=${agentOf(turn++)}&limit=100` },
    )
    noteMemory(`minute ${minute} of writing and reading at once`)
  }
  const text = report({ size, people, rows, filters, walk, memory })
  writeFileSync(variant ? `bench/lrs-results-${variant}.md` : 'bench/lrs-results.md', text)
  console.log(text)
}

async function makeKey(url: string): Promise<string> {
  process.env.DATABASE_URL = url
  parseEnv(process.env)
  const { db, pool } = createDatabase({ connectionString: url, poolSize: 1 })
  try {
    const ctx = siteContext({ db, site: await getSite(db, 'institutional'), log: benchLog, isOperator: true })
    const { key, secret } = await createClient(ctx, { name: 'Bench', scopes: ['all'] })
    return `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`
  } finally {
    await pool.end()
  }
}

/**
 * Posts statements as a platform would post its history: four clients, 200 at a time. Returns some of them, to query
 * later.
 */
async function fill(run: Run, size: number, people: Crowd): Promise<{ sample: Made[]; facts: Facts }> {
  const writer = aWriter(1, people)
  const sample: Made[] = []
  const early: Made[] = []
  const first = new Date()
  let made = 0
  const { errors, perSecond } = await run(4, 3600, () => {
    if (made >= size) return undefined
    const statements = writer.take(Math.min(200, size - made))
    if (made % 2000 === 0) sample.push(...statements.slice(0, 1))
    if (made < 10_000) early.push(...statements)
    made += statements.length
    return { method: 'POST', path: '/xapi/statements', headers: json, body: JSON.stringify(statements) }
  })
  if (errors > 0) throw new Error(`${errors} batches were refused`)
  console.log(`… ${Math.round(perSecond * 200)} a second`)
  return { sample, facts: factsOf(early, { first, last: new Date() }) }
}

/**
 * Sends each filter 21 times, or 48 times with 8 clients. Of each, the p95 counts: at most 20 ms alone and 60 ms with 8
 * clients, and twice that with more than a million statements.
 */
async function measureFilters(
  run: Run,
  facts: Facts,
  { when, clients, size }: { when: string; clients: number; size: number },
): Promise<Filters> {
  const all = [...singleFilters(facts), ...combinedFilters(facts, 400)]
  const measured: Filters['slowest'] = []
  for (const filter of all) {
    let left = Math.max(21, clients * 6)
    const { p95, errors } = await run(clients, 60, () => {
      left -= 1
      return left < 0 ? undefined : { method: 'GET', path: `/xapi/statements?${new URLSearchParams(filter)}` }
    })
    if (errors > 0) throw new Error(`A filter was refused: ${JSON.stringify(filter)}`)
    measured.push({ filter, p95 })
  }
  measured.sort((a, b) => b.p95 - a.p95)
  const slow = measured.filter(({ p95 }) => p95 > allowedMs(clients, size)).length
  console.log(when, clients, slow, measured.slice(0, 10))
  return { when, clients, count: all.length, slow, slowest: measured }
}

function allowedMs(clients: number, size: number): number {
  return (clients === 1 ? 20 : 60) * (size > usualSize ? 2 : 1)
}

async function analyse(url: string): Promise<void> {
  const { pool } = createDatabase({ connectionString: url, poolSize: 1 })
  await pool.query('vacuum analyze')
  await pool.end()
}

/** All clients name the same 200 people and the same activities. */
function posts(clients: number, count: number, people: Crowd): (client: number) => Call {
  const writers = Array.from({ length: clients }, (_, client) =>
    aWriter(1000 * count + 100 * clients + client, { ...people, actors: 200 }),
  )
  return (client) => {
    const statements = writers[client]?.take(count)
    const body = JSON.stringify(count === 1 ? statements?.[0] : statements)
    return { method: 'POST', path: '/xapi/statements', headers: json, body }
  }
}

/** Writes a bookmark and then reads it, as units do. */
function states(): (client: number) => Call {
  const registrations = Array.from({ length: 16 }, () => randomUUID())
  const counts = registrations.map(() => 0)
  return (client) => {
    const count = (counts[client] ?? 0) + 1
    counts[client] = count
    const query = new URLSearchParams({
      stateId: 'bookmark',
      activityId: unitOf(client),
      agent: JSON.stringify(actorOf(client)),
      registration: registrations[client] ?? '',
    })
    const path = `/xapi/activities/state?${query}`
    if (count % 2 === 0) return { method: 'GET', path }
    return { method: 'PUT', path, headers: json, body: JSON.stringify({ page: count, answers: 'x'.repeat(500) }) }
  }
}

function registrationOf({ context }: Made): string | undefined {
  return (context as { registration?: string } | undefined)?.registration
}

/** Reads everything from the newest to the oldest, a page at a time. */
async function walkAll(port: number, headers: Record<string, string>): Promise<Load & { found: number }> {
  let found = 0
  const next = (_: number, before: string | null): Call | undefined => {
    if (before === null) return { method: 'GET', path: '/xapi/statements?limit=0' }
    found += before.split('"stored":').length - 1
    const more = /"more":"([^"]*)"}$/.exec(before.slice(-4000))?.[1]
    return more ? { method: 'GET', path: more } : undefined
  }
  const load = await runLoad({ port, clients: 1, seconds: 3600, headers, next, isReading: true })
  return { ...load, found }
}

type Report = {
  size: number
  people: Crowd
  rows: Row[]
  filters: Filters[]
  walk: Load & { found: number }
  memory: Memory[]
}

function report({ size, people, rows, filters, walk, memory }: Report): string {
  const whole = (value: number) => Math.round(value).toLocaleString('en')
  const lines = [...rows, { ...walk, name: 'Walk through more, 200 at a time', clients: 1 } as Row].map(
    ({ name, clients, perSecond, statements, p50, p95, p99, errors }) =>
      `| ${name} | ${clients} | ${whole(perSecond)} | ${statements ? whole(statements) : ''} | ${p50} | ${p95} | ${p99} | ${errors} |`,
  )
  return `# Measured by \`npm run bench:lrs\`

${os.cpus().length} cores, ${os.cpus()[0]?.model.trim()}, Node ${process.version}; the load generator and PostgreSQL on the same cores.
${size.toLocaleString('en')} statements of ${people.films} films, ${people.quizzes} quizzes and ${people.units} units by ${people.actors.toLocaleString('en')} people before the first figure.

| what | clients | requests/s | statements/s | p50 in ms | p95 | p99 | errors |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${lines.join('\n')}

Every filter alone, and 400 combinations drawn with a fixed seed, in order of the p95 of each:

| when | clients | filters | half are within ms | 95 % | all | over ${allowedMs(1, size)} ms (8 clients: ${allowedMs(8, size)} ms) |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
${filters.map(filterLine).join('\n')}

The slowest after ANALYZE, one client:

${(filters[1]?.slowest ?? [])
  .slice(0, 10)
  .map(({ filter, p95 }) => `- ${p95} ms: \`${new URLSearchParams(filter)}\``)
  .join('\n')}

- The walk met ${whole(walk.found)} statements in ${whole(walk.bytes / 1024 / 1024)} MB.

Memory of the processes in MB (proportional: what several share counts once). PostgreSQL's is mostly its buffers, which fill and stay; that of web rises and falls with what is not yet collected.

| when | web | worker | PostgreSQL | start | all |
| --- | ---: | ---: | ---: | ---: | ---: |
${memory.map(({ when, web, worker, PostgreSQL, start }) => `| ${when} | ${web} | ${worker} | ${PostgreSQL} | ${start} | ${web + worker + PostgreSQL + start} |`).join('\n')}
`
}

function filterLine({ when, clients, count, slow, slowest }: Filters): string {
  const at = (part: number) => slowest[Math.floor(slowest.length * (1 - part))]?.p95 ?? 0
  return `| ${when} | ${clients} | ${count} | ${at(0.5)} | ${at(0.95)} | ${slowest[0]?.p95 ?? 0} | ${slow} |`
}
