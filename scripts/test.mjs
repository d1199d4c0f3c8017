/**
 * `npm test`: lint, types, service and browser tests against a production build, then one line that counts all of them.
 *
 *   npm test -- unit tests/services/modules.test.ts   one part (lint, unit, browser); the rest is handed to its runner
 *   npm test -- changed [COMMIT]                      what differs from a commit affects (HEAD: what is not committed)
 *   npm test -- requirements                          runs nothing; prints which requirements the tests name
 *   npm run test:long                                 random and exhaustive tests in full
 */
import './node-version.mjs'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { sweepEmbedded } from '../server/embedded-pg.mjs'
import { StartError } from '../server/start-error.mjs'
import { bootstrap } from './bootstrap.mjs'
import { changedFiles, isOfProduct, specsFor } from './changed.mjs'
import { provideChromium } from './chromium.mjs'
import { endLeftovers } from './leftovers.mjs'
import { beforeEnd, endChild, exitOf, runCommand, startChild } from './lifecycle.mjs'
import { reportRequirements } from './requirements.mjs'

/** @typedef {{ passed: number, failed: number, names?: string[] }} Count */

/** Settings of the product in our environment must not reach the tests. */
const PRODUCT_VARIABLES =
  /^(PORT|HOST|WEB_PROCESSES|DATABASE_.*|(NS_)?SITE_ORIGIN|NS_HOST_SUFFIXES|ALLOWED_HOSTS|ASSET_ORIGIN|SHUTDOWN_DELAY|CONTENT_.*|TRUST_PROXY|SMTP_URL|MAIL_FROM|DATA_DIR|SEED_DEMO|LOG_LEVEL|CONSOLE_PARTS|BUILD_NUMBER|NODE_ENV|(NS_)?LRS_FORWARD_.*|CMI5_.*|XAPI_MAX_MB)$/

/** Twice what a part takes on a machine of half the usual speed (docs/decisions/026). */
const LIMIT_MS = 40 * 60_000

/** @type {Record<string, (args: string[], reports: string) => Promise<Count>>} */
const PARTS = { lint, unit, browser }

runCommand(async () => {
  process.chdir(fileURLToPath(new URL('..', import.meta.url)))
  for (const name of Object.keys(process.env)) if (PRODUCT_VARIABLES.test(name)) delete process.env[name]
  const [asked, ...args] = process.argv.slice(2)
  if (asked === 'requirements') {
    reportRequirements()
    return 0
  }
  const runs = plan(asked, args)
  process.env.TEST_RUN = String(process.pid)
  beforeEnd(sweepRemains)
  const reports = fs.mkdtempSync(path.join(os.tmpdir(), 'titrate-test-'))
  beforeEnd(() => fs.rmSync(reports, { recursive: true, force: true }))
  // Installing the browser takes twenty seconds, in which installing the packages leaves a core idle.
  if (runs.some(([part]) => part === 'browser')) provideChromium()
  /** @type {[string, Promise<Count>][]} */
  const counts = []
  // Lint and types need no build. Beside the build and the first tests they use a core that would be idle.
  await bootstrap(() => {
    if (runs.some(([part]) => part === 'lint')) counts.push(['lint', lint()])
  })
  for (const [part, given] of runs) {
    if (part === 'lint') continue
    const count = PARTS[part]?.(given, reports)
    if (count) counts.push([part, count])
    await count
  }
  const total = { passed: 0, failed: 0 }
  /** @type {string[]} */
  const broken = []
  for (const [part, count] of counts) {
    const { passed, failed, names } = await count
    total.passed += passed
    total.failed += failed
    broken.push(...(names ?? (failed > 0 ? [part] : [])))
  }
  const left = await endLeftovers(process.env.TEST_RUN)
  total.failed += left.length
  broken.push(...left.map((name) => `left behind: ${name}`))
  // The end of a long log is often the only part that is kept.
  for (const name of broken) console.log(`\nfailed: ${name}`)
  console.log(`\n${total.passed} passed, ${total.failed} failed`)
  return total.failed === 0 ? 0 : 1
})

/**
 * The requested parts, each with the arguments of its runner.
 * @param {string | undefined} asked
 * @param {string[]} args
 * @returns {[part: string, args: string[]][]}
 */
function plan(asked, args) {
  if (asked === undefined) return Object.keys(PARTS).map((part) => [part, []])
  if (asked in PARTS) return [[asked, args]]
  if (asked === 'changed') return planChanged(args[0] ?? 'HEAD')
  if (asked === 'long') {
    process.env.TEST_LONG = '1'
    return [
      ['unit', filesWithLongRuns('.test.ts')],
      ['browser', filesWithLongRuns('.spec.ts')],
    ]
  }
  const known = [...Object.keys(PARTS), 'changed', 'requirements'].join(', ')
  throw new StartError(`There is no part "${asked}". The parts are ${known}.`)
}

/** @param {string} commit @returns {[part: string, args: string[]][]} */
function planChanged(commit) {
  const files = changedFiles(commit)
  const specs = specsFor(files)
  const found = ['--changed', commit, '--passWithNoTests']
  /** @type {[part: string, args: string[]][]} */
  const runs = [['lint', []]]
  if (files.some(isOfProduct)) {
    runs.push(['unit', [...found, '--exclude', 'tests/{http,operations}/**']])
    runs.push(['unit', ['tests/http', 'tests/operations']])
  } else runs.push(['unit', found])
  if (specs.length > 0) runs.push(['browser', specs])
  return runs
}

/** @param {string} ending */
function filesWithLongRuns(ending) {
  return fs
    .readdirSync('tests', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => path.posix.join('tests', name))
    .filter((file) => fs.readFileSync(file, 'utf8').includes("support/long.ts'"))
}

/** Removes leftovers of runners that a signal ended. */
async function sweepRemains() {
  await sweepEmbedded('.data', 'test-pg-')
  const folders = fs.readdirSync('.data').filter((name) => name.startsWith('test-data-'))
  for (const folder of folders.map((name) => path.join('.data', name))) {
    await sweepEmbedded(folder, 'pg')
    if (!fs.existsSync(path.join(folder, 'pg'))) fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** @returns {Promise<Count>} */
async function lint() {
  const style = await runTool('biome', ['ci', '.', ...(process.stdout.isTTY ? [] : ['--colors=off'])])
  const types = await runTool('tsc', ['--noEmit'], { file: 'typescript-7/bin/tsc' })
  console.log(`\nlint: ${style === 0 ? 'passed' : 'failed'}, types: ${types === 0 ? 'passed' : 'failed'}`)
  const failed = [style, types].filter((code) => code !== 0).length
  return { passed: 2 - failed, failed }
}

/** @param {string[]} args @param {string} reports @returns {Promise<Count>} */
async function unit(args, reports) {
  const file = path.join(reports, 'unit.json')
  const env = { ...process.env, UNIT_REPORT: file }
  const code = await runTool('vitest', ['run', '--reporter=default', '--reporter=./scripts/unit-report.mjs', ...args], {
    env,
  })
  /** @type {import('./unit-report.mjs').UnitReport} */
  const { passed, failures } = readReport(file) ?? { passed: 0, failures: [] }
  return { ...counted(code, passed, failures.length), ...(failures.length > 0 && { names: failures }) }
}

/** @param {string[]} args @param {string} reports @returns {Promise<Count>} */
async function browser(args, reports) {
  const chromium = await provideChromium()
  if (chromium === null) {
    console.error(
      'Chromium is missing: install it (apt-get install chromium) or set CHROMIUM_PATH to its path, then run npm test again.',
    )
    return { passed: 0, failed: 1 }
  }
  const file = path.join(reports, 'browser.json')
  const env = { ...process.env, CHROMIUM_PATH: chromium, PLAYWRIGHT_JSON_OUTPUT_FILE: file }
  const code = await runTool('playwright', ['test', '--reporter=list,json', ...args], { env })
  const report = readReport(file)
  /** @type {{ name: string, status: string }[]} */
  const results = (report?.suites ?? []).flatMap(resultsOf)
  const named = (/** @type {string} */ status) => results.filter((one) => one.status === status).map(({ name }) => name)
  const failed = [...named('unexpected'), ...named('flaky')]
  return { ...counted(code, named('expected').length, failed.length), ...(failed.length > 0 && { names: failed }) }
}

/**
 * @typedef {{ title: string, file: string, line: number, tests: { status: string }[] }} Spec
 * @typedef {{ specs?: Spec[], suites?: Suite[] }} Suite
 */

/** @param {Suite} suite @returns {{ name: string, status: string }[]} */
function resultsOf({ specs = [], suites = [] }) {
  const own = specs.flatMap(({ title, file, line, tests }) =>
    tests.map(({ status }) => ({ name: `tests/browser/${file}:${line}: ${title}`, status })),
  )
  return [...own, ...suites.flatMap(resultsOf)]
}

/** A runner that failed without naming a test counts as one failure. */
function counted(/** @type {number} */ code, /** @type {number} */ passed, /** @type {number} */ failed) {
  return { passed, failed: code !== 0 && failed === 0 ? 1 : failed }
}

/** @param {string} name @param {string[]} args @param {{ env?: NodeJS.ProcessEnv, file?: string }} [options] */
async function runTool(name, args, { env = process.env, file = `.bin/${name}` } = {}) {
  console.log(`\n> ${name} ${args.filter((arg) => !/^--(reporter|outputFile|colors)/.test(arg)).join(' ')}`)
  const child = startChild(path.join('node_modules', file), args, { env })
  const limit = setTimeout(() => endChild(child), LIMIT_MS) // a runner cannot end a test that spins
  const code = await exitOf(child)
  clearTimeout(limit)
  return code
}

/** @param {string} file */
function readReport(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}
