/**
 * `npm run bench -- against COMMIT`: builds that commit beside this one and measures both alternately on the same data.
 * The older product writes the data into its database; this product serves a copy of that database, which its own
 * set-up has brought up to date. Results go to bench/against-results.md.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../server/embedded-pg.mjs'
import { type Target, tenAtOnce } from './measure.ts'
import { type Product, startProduct } from './product.ts'
import { seedBench } from './seed.ts'
import { targetsOf } from './targets.ts'

const size = { users: 10_000, modules: 2000, statements: 200_000 }
const rounds = 7
const secondsPerRound = 4

/** Requests per second that this product must serve as a multiple of what commit 804b857 serves. */
const goals: Record<string, number> = {
  '/home/': 1.5,
  '/modules/': 1.5,
  '/my-learning/in-progress/': 1.5,
  'Modules table, console': 1.5,
  'Modules (GraphQL)': 4,
}

type Row = { name: string; older: number; newer: number; ratio: number; lowest: number; highest: number; items: string }

export async function benchAgainst(commit: string): Promise<void> {
  const older = checkOut(commit)
  const folder = `.data/bench-${randomBytes(4).toString('hex')}`
  const cluster = await startEmbedded({ dir: path.join(folder, 'pg'), name: 'npm run bench' })
  const running: Product[] = []
  const start = async (options: { root: string; databaseUrl: string }) => {
    const product = await startProduct(path.resolve(folder, `files-${running.length}`), options)
    running.push(product)
    return product
  }
  try {
    const first = await start({ root: older, databaseUrl: cluster.urlOf('titrate') })
    await seedBench(first.databaseUrl, size)
    await first.stop()
    running.pop()
    await copyDatabase(cluster.urlOf('postgres'))
    const products = [
      await start({ root: older, databaseUrl: cluster.urlOf('titrate') }),
      await start({ root: process.cwd(), databaseUrl: cluster.urlOf('newer') }),
    ] as const
    const rows = await compare(...products)
    writeFileSync('bench/against-results.md', report(commit, rows))
  } finally {
    for (const product of running) await product.stop()
    await cluster.destroy()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Clones the commit into .data, where a later run finds it installed and built. */
function checkOut(commit: string): string {
  const folder = path.resolve('.data', `against-${commit}`)
  if (!existsSync(folder)) {
    execFileSync('git', ['clone', '--quiet', '--shared', '.', folder], { stdio: 'inherit' })
    execFileSync('git', ['checkout', '--quiet', '--detach', commit], { cwd: folder, stdio: 'inherit' })
  }
  const build = `await (await import(${JSON.stringify(path.join(folder, 'scripts/bootstrap.mjs'))})).bootstrap(); process.exit()`
  execFileSync(process.execPath, ['--input-type=module', '-e', build], { cwd: folder, stdio: 'inherit' })
  return folder
}

async function copyDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('create database newer template titrate')
  } finally {
    await client.end()
  }
}

async function compare(older: Product, newer: Product): Promise<Row[]> {
  const newerTargets = await targetsOf(newer)
  const olderTargets = await targetsOf(older)
  const rows: Row[] = []
  for (const newerTarget of newerTargets) {
    const olderTarget = olderTargets.find(({ name }) => name === newerTarget.name)
    if (!olderTarget || goals[newerTarget.name] === undefined) continue
    rows.push(await compareTarget(olderTarget, newerTarget))
    console.log(rows.at(-1))
  }
  return rows
}

/** Each round measures both, and the one that goes first changes, so that what slows the machine down slows both. */
async function compareTarget(older: Target, newer: Target): Promise<Row> {
  const figures: { older: number; newer: number }[] = []
  for (let round = -1; round < rounds; round += 1) {
    const both = { older: 0, newer: 0 }
    for (const which of round % 2 === 0 ? (['older', 'newer'] as const) : (['newer', 'older'] as const)) {
      const { perSecond, errors } = await tenAtOnce(which === 'older' ? older : newer, secondsPerRound)
      if (errors > 0) throw new Error(`${newer.name}: ${errors} of the ${which} product's answers were errors`)
      both[which] = perSecond
    }
    if (round >= 0) figures.push(both) // the first one warms up
  }
  const ratios = figures.map(({ older, newer }) => newer / older).sort((one, other) => one - other)
  return {
    name: newer.name,
    older: median(figures.map((both) => both.older)),
    newer: median(figures.map((both) => both.newer)),
    ratio: median(ratios),
    lowest: ratios[0] ?? 0,
    highest: ratios.at(-1) ?? 0,
    items: `${await countItems(older)} / ${await countItems(newer)}`,
  }
}

function median(values: number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}

/** The number of different modules, courses, lectures and videos that the page or the answer names. */
async function countItems(target: Target): Promise<number> {
  const answer = await fetch(`http://${target.headers.host}${target.path}`, {
    method: target.method,
    headers: target.headers,
    body: target.body?.(),
  })
  const names = (await answer.text()).match(/Bench (?:module|course|lecture|video) \d+/g)
  return new Set(names).size
}

function report(commit: string, rows: Row[]): string {
  const lines = rows.map(({ name, older, newer, ratio, lowest, highest, items }) => {
    const goal = goals[name] ?? 1
    const cells = [
      name,
      older.toFixed(0),
      newer.toFixed(0),
      ratio.toFixed(2),
      `${lowest.toFixed(2)} to ${highest.toFixed(2)}`,
      goal,
      items,
    ]
    return `| ${cells.join(' | ')} |`
  })
  return `# Measured by \`npm run bench -- against ${commit}\`

${os.cpus().length} cores, ${os.cpus()[0]?.model.trim()}, Node ${process.version}; the load generator and PostgreSQL on the same machine.
${size.users.toLocaleString('en')} users, ${size.modules.toLocaleString('en')} modules, ${size.statements.toLocaleString('en')} statements. Both products run side by side on copies of the same data;
medians of ${rounds} rounds of ${secondsPerRound} s each, ten requests at once. "Times as many" is the median of the rounds' ratios.

| what | requests/s, ${commit} | requests/s, this commit | times as many | lowest to highest round | goal | items, before / now |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
${lines.join('\n')}
`
}
