/** Installs the packages and builds, each only if it is missing or out of date. */
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, takeLock } from '../server/process-lock.mjs'
import { StartError, withPlace } from '../server/start-error.mjs'
import { beforeEnd, exitOf, startChild } from './lifecycle.mjs'

const FOLDERS = ['app', 'db', 'migrations', 'seed', 'server', 'public']
const SETTINGS = ['remix.config.js', 'tailwind.config.ts', 'tsconfig.json', 'vite.config.ts', 'vite.server.config.ts']
const SCRIPTS = ['build', 'build-players', 'precompress'].map((name) => `scripts/${name}.mjs`)
const STEPS = ['package.json', 'package-lock.json', ...SCRIPTS]
const SOURCES = [...FOLDERS, ...SETTINGS, ...STEPS]
const STAMP = 'dist/.stamp'
const LOCK = '.data/bootstrap.lock'
const KEPT_OUTPUT = 200_000

/**
 * Works in the project's folder, whatever the current folder is.
 * @param {() => void} [onInstalled] called once the packages are there, before the build
 */
export async function bootstrap(onInstalled = () => {}) {
  if (isInstalled() && isBuilt()) return onInstalled()
  const lock = await waitForLock()
  try {
    if (!isInstalled()) await install(lock)
    onInstalled()
    if (!isBuilt()) await build(lock)
  } finally {
    lock.release()
  }
}

/** @param {ReturnType<typeof takeLock>} lock */
async function install(lock) {
  // npm would empty the folder behind the link, which belongs to another project
  if (fs.lstatSync('node_modules', { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw new StartError(
      'node_modules is a link to packages that do not match package-lock.json: remove the link, or install there.',
    )
  }
  await runStep('Installing packages', ...npm('ci', '--include=dev', '--no-audit', '--no-fund'), lock)
}

/** @param {ReturnType<typeof takeLock>} lock */
async function build(lock) {
  const hash = hashSources()
  fs.rmSync(STAMP, { force: true })
  await runStep('Building', ...npm('run', 'build'), lock)
  fs.writeFileSync(STAMP, hash)
}

export function hasBuild() {
  return fs.existsSync(STAMP)
}

/** npm writes its own record when it has finished. Packages for other systems are only in the lock file. */
function isInstalled() {
  const wanted = readJson('package-lock.json')?.packages
  const present = readJson('node_modules/.package-lock.json')?.packages
  if (wanted === undefined) throw new StartError('package-lock.json is missing or broken: take it from the repository.')
  if (present === undefined) return false
  return Object.entries(wanted).every(([name, { optional, version }]) => {
    const found = present[name]
    return name === '' || (found ? found.version === version : optional === true)
  })
}

/** @param {string} file @returns {{ packages?: Record<string, { version?: string, optional?: boolean }> } | undefined} */
function readJson(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

function isBuilt() {
  if (!fs.existsSync(STAMP) || !fs.existsSync('build/server/index.js')) return false
  return fs.readFileSync(STAMP, 'utf8') === hashSources()
}

function hashSources() {
  const hash = crypto.createHash('sha256')
  for (const file of SOURCES.flatMap(filesIn)) hash.update(`${file}\0`).update(fs.readFileSync(file)).update('\0')
  return hash.digest('hex')
}

/** @param {string} place @returns {string[]} */
function filesIn(place) {
  const stat = fs.statSync(place, { throwIfNoEntry: false })
  if (stat === undefined) return []
  if (!stat.isDirectory()) return [place]
  return fs
    .readdirSync(place)
    .sort()
    .flatMap((name) => filesIn(path.posix.join(place, name)))
}

async function waitForLock() {
  withPlace(path.resolve('.data'), () => fs.mkdirSync('.data', { recursive: true }))
  let isTold = false
  for (;;) {
    const lock = withPlace(path.resolve('.data'), () => takeLock(LOCK))
    if (lock.taken) {
      beforeEnd(lock.release)
      return lock
    }
    if (!isTold) console.log(`Waiting for process ${lock.owner.pid}, which is installing and building here`)
    isTold = true
    await sleep(500)
  }
}

/** @param {string[]} args @returns {[string, string[]]} */
function npm(...args) {
  const script = process.env.npm_execpath
  return script && path.basename(script).startsWith('npm') ? [process.execPath, [script, ...args]] : ['npm', args]
}

/**
 * Runs one long step quietly, with a line every ten seconds. Shows its output if it fails. The lock names the child
 * too: if we are killed, nobody else starts while the child still writes.
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 * @param {ReturnType<typeof takeLock>} lock
 */
async function runStep(title, command, args, lock) {
  const start = Date.now()
  const seconds = () => `${((Date.now() - start) / 1000).toFixed(1)} s`
  console.log(`${title} …`)
  const progress = setInterval(() => console.log(`${title} … ${Math.round((Date.now() - start) / 1000)} s`), 10_000)
  // npm passes its settings on in environment variables. With NODE_ENV=production it would not install the build tools.
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, NODE_ENV: title === 'Building' ? 'production' : 'development' }
  const child = startChild(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  if (child.pid !== undefined) lock.update({ child: { pid: child.pid, began: identify(child.pid) } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-KEPT_OUTPUT)
    })
  }
  const code = await exitOf(child)
  clearInterval(progress)
  lock.update({ child: undefined })
  if (code === 0) return console.log(`${title} … done in ${seconds()}`)
  console.error(output.trimEnd())
  if (/ENOSPC|No space left on device/.test(output))
    throw new StartError(`The disk that holds ${process.cwd()} is full.`)
  throw new StartError(`${title} failed after ${seconds()}; the lines above say why.`)
}
