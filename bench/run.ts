/**
 * `npm run bench`: builds its own database, starts the production server beside it, and writes the results to
 * bench/results.md. With a word it measures only that: `npm run bench --` and `probe`, `search`, `audiences`, `lighthouse`,
 * `assign`, `console`, `invitations`, `messages`, `messages send` or `overview`. `against COMMIT` compares this product
 * with an older one (bench/against.ts). `npm run bench:lrs` measures the record store (bench/lrs.ts), and
 * `npm run bench:reports` the reports (bench/reports.ts). The load comes from the same machine, so compare only figures of one run.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { benchAgainst } from './against.ts'
import { benchAssign } from './assign.ts'
import { measureAudiences, seedAudiences } from './audiences.ts'
import { benchConsole } from './console.ts'
import { benchInvitations } from './invitations.ts'
import { goal, type LighthouseScores, lighthouseTable, runLighthouse } from './lighthouse.ts'
import { benchLrs, usualSize } from './lrs.ts'
import { type Figures, measure, send, type Target } from './measure.ts'
import { benchMessages } from './messages.ts'
import { benchOverview } from './overview.ts'
import { probeAddresses } from './probe.ts'
import { type Product, startProduct } from './product.ts'
import { benchReports } from './reports.ts'
import { measureSearch, seedDocuments } from './search.ts'
import { authorNumber, seedBench, sessionIdOf } from './seed.ts'
import { learning } from './seed-learning.ts'
import { benchSending } from './sending.ts'
import { searchTargets, targetsOf } from './targets.ts'
import { measureUpload, type UploadFigures } from './upload.ts'

const size = { users: 10_000, modules: 2000, statements: 200_000 }

async function main(): Promise<void> {
  if (process.argv[2] === 'against') return await benchAgainst(process.argv[3] ?? '804b857')
  if (process.argv[2] === 'messages' && process.argv[3] === 'send') {
    return await benchSending(Number(process.argv[4] ?? 10_000))
  }
  const product = await startProduct(`.data/bench-${randomBytes(4).toString('hex')}`)
  try {
    if (process.argv[2] === 'lrs') {
      return await benchLrs(product, Number(process.argv[3] ?? usualSize), process.argv[4] === 'dozen')
    }
    if (process.argv[2] === 'assign') return await benchAssign(product)
    if (process.argv[2] === 'console') return await benchConsole(product)
    if (process.argv[2] === 'invitations') return await benchInvitations(product)
    if (process.argv[2] === 'messages') return await benchMessages(product)
    if (process.argv[2] === 'overview') return await benchOverview(product)
    if (process.argv[2] === 'reports') return await benchReports(product, Number(process.argv[3] ?? 1))
    if (process.argv[2] === 'probe') return await probeAddresses(product)
    if (process.argv[2] === 'search') {
      await seedDocuments(product.databaseUrl)
      return console.log(await measureSearch(product.databaseUrl))
    }
    if (process.argv[2] === 'audiences') {
      await seedAudiences(product.databaseUrl)
      return console.log(await measureAudiences(product.databaseUrl))
    }
    console.log(
      `Started in ${product.startSeconds} s; writing ${size.users} users, ${size.modules} modules, ${size.statements} statements …`,
    )
    // Longer than connections to the database stay open without use.
    await new Promise((resolve) => setTimeout(resolve, 40_000))
    const memoryAtRest = memoryOf(product)
    await seedBench(product.databaseUrl, size)
    const targets = await targetsOf(product)
    const lighthouse = await runLighthouse(pagesOf(targets))
    if (process.argv[2] === 'lighthouse') return
    const pages = await measureAll(product, targets)
    await seedDocuments(product.databaseUrl)
    const searches = await measureAll(product, searchTargets(product))
    const search = await measureSearch(product.databaseUrl)
    const upload = await measureUpload(product, sessionIdOf(authorNumber))
    const results = report({ product, memoryAtRest, rows: [...pages, ...searches], search, upload, lighthouse })
    writeFileSync('bench/results.md', results)
    console.log(results)
  } finally {
    await product.stop()
  }
}

function memoryOf(product: Product): string {
  const { web, worker, PostgreSQL, start } = product.memoryByPart()
  const total = web + worker + PostgreSQL + start
  return `${total} MB (web ${web}, worker ${worker}, PostgreSQL ${PostgreSQL}, start ${start})`
}

/** Each public and learner page once: their second pages are made of the same parts. */
function pagesOf(targets: Target[]): Target[] {
  return targets.filter(({ method, name, path }) => method === 'GET' && !/console|rows|page=/.test(name + path))
}

async function measureAll(product: Product, targets: Target[]): Promise<Row[]> {
  const queries = await countQueries(product, targets)
  const scripts = await scriptsOf(product, targets)
  const rows: Row[] = []
  for (const target of targets) {
    const figures = await measure(target)
    rows.push({ ...figures, queries: queries.get(target.name), script: scripts.get(target.name) })
    console.log(rows.at(-1))
  }
  return rows
}

/** Reads the query count from the log line of one request of each kind, after a first request that fills the caches. */
async function countQueries(product: Product, targets: Target[]): Promise<Map<string, number>> {
  const queries = new Map<string, number>()
  for (const target of targets) {
    await send(target)
    await new Promise((resolve) => setTimeout(resolve, 100))
    product.takeLog()
    const status = await send(target)
    if (status >= 400) throw new Error(`${target.name} answered ${status}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
    const line = product.takeLog().find((text) => text.includes('"msg":"request"'))
    queries.set(target.name, line ? (JSON.parse(line) as { queries: number }).queries : Number.NaN)
  }
  return queries
}

/**
 * Kilobytes of JavaScript (brotli) that a page's document loads. Routes that its manifest only names are loaded later,
 * on navigation.
 */
async function scriptsOf(product: Product, targets: Target[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for (const target of targets.filter((candidate) => candidate.method === 'GET')) {
    const answer = await fetch(`http://localhost:${product.port}${target.path}`, {
      headers: { cookie: target.headers.cookie ?? '' },
    })
    const loaded = /(?:<link rel="late"[^>]*href=|\bimport [^;]*?)"\/assets\/([\w.$-]+\.js)"/g
    const files = new Set([...(await answer.text()).matchAll(loaded)].map(([, file = '']) => file))
    const bytes = [...files].reduce((sum, file) => sum + sizeOf(file), 0)
    sizes.set(target.name, Math.round(bytes / 102.4) / 10)
  }
  return sizes
}

function sizeOf(file: string): number {
  const folder = 'build/client/assets'
  const name = readdirSync(folder).includes(`${file}.br`) ? `${file}.br` : file
  return statSync(`${folder}/${name}`).size
}

type Row = Figures & { queries?: number; script?: number }

type Report = {
  product: Product
  memoryAtRest: string
  rows: Row[]
  search: string
  upload: UploadFigures
  lighthouse: LighthouseScores[]
}

function report({ product, memoryAtRest, rows, search, upload, lighthouse }: Report): string {
  const lines = rows.map(
    ({ name, perSecond, p95, queries, script, errors }) =>
      `| ${name} | ${perSecond} | ${p95} | ${queries ?? ''} | ${script ?? ''} | ${errors} |`,
  )
  return `# Measured by \`npm run bench\`

${os.cpus().length} cores, ${os.cpus()[0]?.model.trim()}, Node ${process.version}; the load generator and PostgreSQL on the same machine.
${size.users.toLocaleString('en')} users, ${size.modules.toLocaleString('en')} modules, ${size.statements.toLocaleString('en')} statements; ${learning.courses} courses, ${learning.videos.toLocaleString('en')} videos, ${learning.lectures} lectures;
the learner has ${learning.assignments} assignments, ${learning.favorites} favorites and ${learning.messages} messages.

| what | requests/s, 10 at once | p95 in ms, one at a time | queries | JavaScript in KB, brotli | errors |
| --- | ---: | ---: | ---: | ---: | ---: |
${lines.join('\n')}

Lighthouse as on a phone, of 100 (a page that had fewer than ${goal} for its performance was measured four times more, and the median stands):

${lighthouseTable(lighthouse)}

The search in the database, 10,000 documents:

${search}

- Start of a built product until it is ready: ${product.startSeconds.toFixed(1)} s (with a new database)
- Memory of all processes (proportional), forty seconds after the start: ${memoryAtRest}
- The same after the load: ${memoryOf(product)}
- Upload of 50 MB: ${upload.postSeconds.toFixed(1)} s for the post, ${upload.completeSeconds.toFixed(1)} s for its completion; memory of all processes grew by at most ${upload.memoryGrowth} MB
`
}

await main()
