/**
 * Lighthouse as a phone sees the pages (its own throttling of network and processor). It is fetched when the bench runs and is no dependency:
 * it weighs more than the product, and nothing but this asks for it.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { provideChromium } from '../scripts/chromium.mjs'
import type { Target } from './measure.ts'

const release = 'lighthouse@12.8.2'
const categories = ['performance', 'accessibility', 'best-practices', 'seo'] as const

/** What we want of each page; a page below it is measured four times more, since single runs differ by some points. */
const goal = 98

export type LighthouseScores = {
  name: string
  scores: Record<(typeof categories)[number], number>
  /** Performance of each run; of five the median stands. */
  runs: number[]
  failures: string[]
}

type Result = {
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>
  audits: Record<string, { score: number | null; title: string }>
}

/** One after the other: two at once would slow each other down. */
export async function runLighthouse(targets: Target[]): Promise<LighthouseScores[]> {
  const chromium = await provideChromium()
  if (!chromium) throw new Error('Lighthouse needs Chromium: install it, or set CHROMIUM_PATH to its path.')
  const rows: LighthouseScores[] = []
  for (const target of targets) {
    // Now and then Chromium's trace lacks its beginning (NO_NAVSTART), and nothing can be told from it.
    const again = () => audit(target, chromium)
    const run = () => again().catch(again).catch(again)
    const results = [await run()]
    if (performanceOf(results[0] as Result) < goal) while (results.length < 5) results.push(await run())
    const runs = results.map(performanceOf)
    const sorted = results.toSorted((a, b) => performanceOf(a) - performanceOf(b))
    const result = sorted[Math.floor(sorted.length / 2)] as Result
    const scores = Object.fromEntries(
      categories.map((category) => [category, pointsOf(result, category)]),
    ) as LighthouseScores['scores']
    rows.push({ name: target.name, scores, runs, failures: failuresOf(result) })
    console.log(rows.at(-1))
  }
  return rows
}

function performanceOf(result: Result): number {
  return pointsOf(result, 'performance')
}

function pointsOf(result: Result, category: string): number {
  return Math.round((result.categories[category]?.score ?? 0) * 100)
}

async function audit({ port, path, headers }: Target, chromium: string): Promise<Result> {
  const args = [
    ...['exec', '--yes', '--package', release, '--', 'lighthouse', `http://localhost:${port}${path}`],
    ...['--quiet', '--output=json', `--only-categories=${categories.join(',')}`],
    '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
    ...(headers.cookie ? [`--extra-headers=${JSON.stringify({ cookie: headers.cookie })}`] : []),
  ]
  const { stdout } = await promisify(execFile)('npm', args, {
    env: { ...process.env, CHROME_PATH: chromium },
    maxBuffer: 64 * 1024 * 1024,
  })
  return JSON.parse(stdout) as Result
}

/** The worst page first. */
export function lighthouseTable(rows: LighthouseScores[]): string {
  const sum = ({ scores }: LighthouseScores) => categories.reduce((total, category) => total + scores[category], 0)
  return [
    '| page | performance | accessibility | best practices | SEO | what is missing |',
    '| --- | ---: | ---: | ---: | ---: | --- |',
    ...rows
      .toSorted((a, b) => a.scores.performance - b.scores.performance || sum(a) - sum(b))
      .map(
        ({ name, scores, runs, failures }) =>
          `| ${name}${runs.length > 1 ? ` (median of ${runs.join(', ')})` : ''} | ${categories.map((category) => scores[category]).join(' | ')} | ${failures.join('; ')} |`,
      ),
  ].join('\n')
}

/** What took points, but for the measures of speed, which always take some. */
function failuresOf({ categories: judged, audits }: Result): string[] {
  const ids = categories
    .filter((category) => category !== 'performance')
    .flatMap((category) => judged[category]?.auditRefs ?? [])
    .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
    .map(({ id }) => audits[id]?.title ?? id)
  return [...new Set(ids)]
}
