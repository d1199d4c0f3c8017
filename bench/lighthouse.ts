/**
 * Measures the pages with Lighthouse as a phone (with its own throttling of network and processor). Lighthouse is
 * downloaded when the bench runs and is not a dependency: it is larger than the product, and only this bench uses it.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { provideChromium } from '../scripts/chromium.mjs'
import type { Target } from './measure.ts'

const release = 'lighthouse@12.8.2'
const categories = ['performance', 'accessibility', 'best-practices', 'seo'] as const

/** Our goal for each page. A page below it is measured four more times, since single runs differ by some points. */
export const goal = 99

export type LighthouseScores = {
  name: string
  scores: Record<(typeof categories)[number], number>
  /** The performance of each run; of five, the median counts. */
  runs: number[]
  failures: string[]
}

type Result = {
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>
  audits: Record<string, { score: number | null; title: string }>
}

/** Runs one page after the other: two at once would slow each other down. */
export async function runLighthouse(targets: Target[]): Promise<LighthouseScores[]> {
  const chromium = await provideChromium()
  if (!chromium) throw new Error('Lighthouse needs Chromium: install it, or set CHROMIUM_PATH to its path.')
  const rows: LighthouseScores[] = []
  for (const target of targets) {
    // Sometimes Chromium's trace lacks its beginning (NO_NAVSTART) and is useless.
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

/** Lists the worst page first. */
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

/** The audits that cost points, except for the speed measures, which always cost some. */
function failuresOf({ categories: judged, audits }: Result): string[] {
  const ids = categories
    .filter((category) => category !== 'performance')
    .flatMap((category) => judged[category]?.auditRefs ?? [])
    .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
    .map(({ id }) => audits[id]?.title ?? id)
  return [...new Set(ids)]
}
