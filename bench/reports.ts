/**
 * `npm run bench:reports`: measures every report with 100,000 users, 2,000,000 statements and 5,000,000 events of three years
 * (bench/reports-seed.ts), and writes bench/reports-results.md. `npm run bench:reports -- 0.1` takes a tenth of all that and
 * writes nothing. The goals are 300 ms of the server's own time for a page, from its log, and for a file the first byte
 * within 200 ms, 50,000 rows a second and at most 64 MB more memory of the web process.
 */
import { writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import os from 'node:os'
import { reportPagePath, reports } from '../app/forms/report-list.ts'
import { reportAggregates } from '../app/forms/reports.ts'
import { requestAsStaff, staffCookie, timesOf } from './console.ts'
import type { Product } from './product.ts'
import { reportSize, seedReports } from './reports-seed.ts'

const goals = { pageMs: 300, firstByteMs: 200, rowsPerSecond: 50_000, megabytes: 64 }
/** Below this many rows, the beginning of a file is most of its time. */
const fewRows = 10_000
const times = 9
const periods = ['all_time', 'this_year', 'last_month', '7days']

type Page = { path: string; first: number; median: number; p95: number; queries: number }
type File = { path: string; firstByteMs: number; seconds: number; rows: number; megabytes: number; growth: number }

export async function benchReports(product: Product, scale: number): Promise<void> {
  const startedAt = Date.now()
  await seedReports(product.databaseUrl, scale)
  const seedSeconds = Math.round((Date.now() - startedAt) / 1000)
  const pages: Page[] = []
  for (const path of pagePaths()) {
    const page = await measurePage(product, path)
    pages.push(page)
    console.log(`${page.path}: ${page.first} ms at first, then ${page.median}, 95% within ${page.p95}`)
  }
  const files: File[] = []
  for (const path of filePaths()) {
    const file = await measureFile(product, path)
    files.push(file)
    console.log(
      `${file.path}: ${file.rows} rows in ${file.seconds} s, first byte ${file.firstByteMs} ms, ${file.growth} MB more`,
    )
  }
  const text = report({ scale, seedSeconds, pages, files })
  if (scale === 1) writeFileSync('bench/reports-results.md', text)
  console.log(text)
}

const fields = 'first_name,last_name,email,institution,groups,access_plan,joined,last_login,completed_modules'

/** Every report by everything that it can be asked by, and with the period before. */
function pagePaths(): string[] {
  return reports.flatMap((report) => {
    const needs: readonly string[] = report.needs
    const aggregates = needs.includes('aggregate') ? reportAggregates.map(({ value }) => value) : [null]
    const pathOf = (period: string, aggregate: string | null, more: Record<string, string> = {}) =>
      `${reportPagePath(report)}?${new URLSearchParams({
        period,
        ...(needs.includes('interval') && { interval: 'weekly' }),
        ...(aggregate !== null && { aggregate_by: aggregate }),
        ...(needs.includes('fields') && { fields }),
        ...more,
      })}`
    return [
      ...periods.flatMap((period) => aggregates.map((aggregate) => pathOf(period, aggregate))),
      pathOf('this_year', aggregates[0] ?? null, { compare: 'previous' }),
      pathOf('all_time', aggregates.at(-1) ?? null, { sort: '-0', page: '100' }),
    ]
  })
}

function filePaths(): string[] {
  return reports.map(({ path, needs }: { path: string; needs: readonly string[] }) => {
    const params = new URLSearchParams({
      period: 'all_time',
      ...(needs.includes('interval') && { interval: 'weekly' }),
      ...(needs.includes('fields') && { fields }),
    })
    return `/api/reports/${path}/?${params}`
  })
}

/** The first request finds the rows on disk or in the system's memory, as the page before has left them. */
async function measurePage(product: Product, path: string): Promise<Page> {
  const act = () => requestAsStaff(product, path)
  const { longest: first } = await timesOf(product, act, { repeats: 1, warmUps: 0 })
  const { median, p95, queries } = await timesOf(product, act, { repeats: times, warmUps: 0 })
  return { path, first, median, p95, queries }
}

/** Reads a file as fast as it comes. Lines are counted, and no text of the benchmark has a line break. */
async function measureFile(product: Product, path: string): Promise<File> {
  const before = product.memoryByPart().web
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, product.memoryByPart().web)
  }, 200)
  try {
    const startedAt = performance.now()
    const response = await get(product, path)
    if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}`)
    let [firstByteMs, lines, bytes] = [0, 0, 0]
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (bytes === 0) firstByteMs = performance.now() - startedAt
      bytes += chunk.length
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++
    }
    return {
      path,
      firstByteMs: Math.round(firstByteMs),
      seconds: Math.round((performance.now() - startedAt) / 100) / 10,
      rows: lines - 1,
      megabytes: Math.round(bytes / 1024 / 1024),
      growth: peak - before,
    }
  } finally {
    clearInterval(watch)
  }
}

function get({ port }: Product, path: string): Promise<IncomingMessage> {
  const headers = { host: `localhost:${port}`, cookie: staffCookie }
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers }, resolve).on('error', reject).end()
  })
}

type Results = { scale: number; seedSeconds: number; pages: Page[]; files: File[] }

function report({ scale, seedSeconds, pages, files }: Results): string {
  const many = (count: number) => Math.round(count * scale).toLocaleString('en')
  const perSecond = ({ rows, seconds }: File) => Math.round(rows / Math.max(seconds, 0.1))
  const slowPages = pages.filter(({ p95 }) => p95 > goals.pageMs)
  const slowFiles = files.filter(
    (file) =>
      file.firstByteMs > goals.firstByteMs ||
      file.growth > goals.megabytes ||
      (file.rows > fewRows && perSecond(file) < goals.rowsPerSecond),
  )
  const named = (list: { path: string }[]) => list.map(({ path }) => `- \`${path}\``).join('\n')
  const verdict = (what: string, list: { path: string }[]) =>
    list.length === 0 ? `Every ${what} meets its goals.` : `These miss a goal (${list.length}):\n\n${named(list)}`
  const { logins, visits, searches, plays } = reportSize
  return `# Measured by \`npm run bench:reports\`

${os.cpus().length} cores, ${os.cpus()[0]?.model.trim()}, Node ${process.version}; the load generator and PostgreSQL on the same machine.
On one site: ${many(reportSize.users)} users, ${many(reportSize.statements)} statements with ${many(reportSize.started)} started modules and ${many(reportSize.quizAnswers + reportSize.surveyAnswers)} answers, and
${many(logins + visits + searches + plays)} events of three years: ${many(logins)} logins, ${many(visits)} sessions, ${many(searches)} searches and ${many(plays)} plays. Written in ${seedSeconds} s.

## Pages

Server time of the whole page in ms, from the log, ${times} requests one at a time after the first. The goal is ${goals.pageMs} ms for 95% of them.
${verdict('page', slowPages)}

| page | first | median | 95% | queries |
| --- | ---: | ---: | ---: | ---: |
${pages.map(({ path, first, median, p95, queries }) => `| \`${path}\` | ${first} | ${median} | ${p95} | ${queries} |`).join('\n')}

## Files

The goals are ${goals.firstByteMs} ms until the first byte, ${goals.rowsPerSecond.toLocaleString('en')} rows a second (from ${fewRows.toLocaleString('en')} rows on) and ${goals.megabytes} MB more memory of the web process.
${verdict('file', slowFiles)}

| file | rows | MB | first byte, ms | seconds | rows/s | more memory, MB |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
${files.map((file) => `| \`${file.path}\` | ${file.rows.toLocaleString('en')} | ${file.megabytes} | ${file.firstByteMs} | ${file.seconds} | ${perSecond(file).toLocaleString('en')} | ${file.growth} |`).join('\n')}
`
}
