/**
 * `npm run bench`: builds its own database, starts the production server beside it, and writes what it measured to
 * bench/results.md. `npm run bench -- probe` and `npm run bench -- search` measure one thing only. The load comes from the same machine, so compare figures of one run with each other.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { type Figures, measure, send, type Target } from './measure.ts'
import { probeAddresses } from './probe.ts'
import { type Product, startProduct } from './product.ts'
import { benchSearch } from './search.ts'
import { authorNumber, seedBench, sessionIdOf } from './seed.ts'
import { fetchUnit } from './unit.ts'
import { measureUpload, type UploadFigures } from './upload.ts'

const size = { users: 10_000, modules: 2000, statements: 200_000 }
const host = (port: number) => `localhost:${port}`

async function main(): Promise<void> {
  const product = await startProduct(`.data/bench-${randomBytes(4).toString('hex')}`)
  try {
    if (process.argv[2] === 'probe') return await probeAddresses(product)
    if (process.argv[2] === 'search') return await benchSearch(product.databaseUrl)
    console.log(
      `Started in ${product.startSeconds} s; writing ${size.users} users, ${size.modules} modules, ${size.statements} statements …`,
    )
    await new Promise((resolve) => setTimeout(resolve, 3000))
    const memoryAtRest = product.memoryMegabytes()
    await seedBench(product.databaseUrl, size)
    const targets = await targetsOf(product)
    const queries = await countQueries(product, targets)
    const figures: Figures[] = []
    for (const target of targets) {
      figures.push(await measure(target))
      console.log(figures.at(-1))
    }
    const scripts = await scriptsOf(product, targets)
    const upload = await measureUpload(product, sessionIdOf(authorNumber))
    const results = report({ product, memoryAtRest, figures, queries, scripts, upload })
    writeFileSync('bench/results.md', results)
    console.log(results)
  } finally {
    await product.stop()
  }
}

async function targetsOf(product: Product): Promise<Target[]> {
  const session = { host: host(product.port), cookie: `titrate_session=${sessionIdOf(1)}` }
  const author = { host: host(product.port), cookie: `titrate_session=${sessionIdOf(authorNumber)}` }
  const page = (name: string, path: string, headers: Record<string, string>): Target => ({
    name,
    port: product.port,
    method: 'GET',
    path,
    headers,
  })
  const token = await csrfTokenOf(product)
  const operation = (name: string, query: string): Target => ({
    name: `${name} (GraphQL)`,
    port: product.port,
    method: 'POST',
    path: '/graphql/',
    headers: { ...session, 'content-type': 'application/json', 'x-csrftoken': token },
    body: () => JSON.stringify({ query }),
  })
  const unit = await fetchUnit(product, { sessionId: sessionIdOf(2) })
  return [
    page('Terms', '/terms/', { host: host(product.port) }),
    page('Terms, signed in', '/terms/', session),
    page('Home', '/home/', session),
    page('Modules', '/modules/', session),
    page('My Learning', '/my-learning/in-progress/', session),
    page('Modules table, console', '/dashboard/modules/', author),
    page('Modules table, searched and sorted', '/dashboard/modules/?search=module+19&sort=-completions&page=2', author),
    page('Modules table, 100 more rows', '/dashboard/modules-rows/', author),
    operation('Me', meQuery),
    operation('Modules', modulesQuery),
    {
      name: 'Statement write (xAPI)',
      port: product.contentPort,
      method: 'POST',
      path: '/xapi/statements',
      headers: { host: host(product.contentPort), ...unit.headers, 'content-type': 'application/json' },
      body: () => JSON.stringify(unit.statement(randomUUID())),
    },
  ]
}

const meQuery = contractOperation('02-me', 'Me')
const modulesQuery = contractOperation('05-modules', 'Modules')

/** The text of one operation with the fragments of its file. */
function contractOperation(file: string, name: string): string {
  const text = readFileSync(`tests/graphql/contract/${file}.graphql`, 'utf8')
  const fragments = name === 'Modules' ? (text.match(/^fragment [\s\S]*?^\}/gm) ?? []).join('\n') : ''
  const operation = new RegExp(`^query ${name}\\b[\\s\\S]*?^\\}`, 'm').exec(text)?.[0] ?? ''
  return `${fragments}\n${operation}`
}

async function csrfTokenOf(product: Product): Promise<string> {
  const answer = await fetch(`http://localhost:${product.port}/graphql/csrf/`, {
    headers: { cookie: `titrate_session=${sessionIdOf(1)}` },
  })
  return answer.headers.get('x-csrftoken') ?? ''
}

/** From the log line of one request of each kind, after a first one that filled what a process keeps. */
async function countQueries(product: Product, targets: Target[]): Promise<Map<string, number>> {
  const queries = new Map<string, number>()
  for (const target of targets) {
    await send(target)
    await new Promise((resolve) => setTimeout(resolve, 100))
    product.takeLog()
    const status = await send(target)
    if (status >= 400) throw new Error(`${target.name} answers ${status}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
    const line = product.takeLog().find((text) => text.includes('"msg":"request"'))
    queries.set(target.name, line ? (JSON.parse(line) as { queries: number }).queries : Number.NaN)
  }
  return queries
}

/** Kilobytes of JavaScript (brotli) that the document of a page asks for. */
async function scriptsOf(product: Product, targets: Target[]): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  for (const target of targets.filter((candidate) => candidate.method === 'GET')) {
    const answer = await fetch(`http://localhost:${product.port}${target.path}`, {
      headers: { cookie: target.headers.cookie ?? '' },
    })
    const files = new Set([...(await answer.text()).matchAll(/\/assets\/([\w.$-]+\.js)/g)].map(([, file = '']) => file))
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

type Report = {
  product: Product
  memoryAtRest: number
  figures: Figures[]
  queries: Map<string, number>
  scripts: Map<string, number>
  upload: UploadFigures
}

function report({ product, memoryAtRest, figures, queries, scripts, upload }: Report): string {
  const rows = figures.map(({ name, perSecond, p95, errors }) => {
    const script = scripts.get(name)
    return `| ${name} | ${perSecond} | ${p95} | ${queries.get(name) ?? ''} | ${script ?? ''} | ${errors} |`
  })
  return `# Measured by \`npm run bench\`

${os.cpus().length} cores, ${os.cpus()[0]?.model.trim()}, Node ${process.version}; the load generator and PostgreSQL on the same machine.
${size.users.toLocaleString('en')} users, ${size.modules.toLocaleString('en')} modules, ${size.statements.toLocaleString('en')} statements.

| what | requests/s, 10 at once | p95 in ms, one at a time | queries | JavaScript in KB, brotli | errors |
| --- | ---: | ---: | ---: | ---: | ---: |
${rows.join('\n')}

- Start of a built product until it is ready: ${product.startSeconds.toFixed(1)} s (with a new database)
- Memory of all processes at rest (proportional): ${memoryAtRest} MB; after the load: ${product.memoryMegabytes()} MB
- Upload of 50 MB: ${upload.postSeconds.toFixed(1)} s for the post, ${upload.completeSeconds.toFixed(1)} s for its completion; memory of all processes grew by at most ${upload.memoryGrowth} MB
`
}

await main()
