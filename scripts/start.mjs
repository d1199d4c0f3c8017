/**
 * `npm start`: installs and builds what is out of date, runs the database unless there is one, sets up, then supervises
 * the web and worker processes.
 */
import './node-version.mjs'
import cluster from 'node:cluster'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connectionsNeeded, embeddedOwner, hasLeftovers, startEmbedded } from '../server/embedded-pg.mjs'
import { StartError } from '../server/start-error.mjs'
import { bootstrap } from './bootstrap.mjs'
import { checkDatabaseAddress, checkPorts } from './checks.mjs'
import { beforeEnd, end, exitOf, expectSignal, isEnding, runCommand, startChild, watchChild } from './lifecycle.mjs'

const MISCONFIGURED = 78
const root = fileURLToPath(new URL('..', import.meta.url))

runCommand(async () => {
  process.chdir(root)
  process.env.NODE_ENV ||= 'production'
  const databaseFolder = path.join(process.env.DATA_DIR || '.data', 'pg')
  await checkBeforeStart(databaseFolder)
  await bootstrap()
  if (!process.env.DATABASE_URL) await runEmbedded(databaseFolder)
  const setUp = startChild(process.execPath, ['dist/setup.js'], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let isDemoActivityDue = false
  setUp.on('message', (message) => {
    if (typeof message === 'object' && 'isDemoActivityDue' in message) isDemoActivityDue = true
  })
  const code = await exitOf(setUp)
  if (code !== 0) return code // the set-up has printed the reason
  const webProcesses = Number(process.env.WEB_PROCESSES || 1) // the set-up has already refused a value that is not a number
  const web = webProcesses === 1 ? launchServer : launchSharingPorts
  const kept = Array.from({ length: webProcesses }, () => keepRunning('web', web))
  await Promise.all([...kept, keepRunning('worker', launchServer)])
  expectSignal()
  printAddresses()
  if (isDemoActivityDue) {
    startChild(process.execPath, ['dist/demo-activity.js'], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
  }
  return new Promise(() => {})
})

/** @param {string} databaseFolder */
async function checkBeforeStart(databaseFolder) {
  if (process.env.DATABASE_URL) {
    await checkPorts(2000)
    await checkDatabaseAddress(process.env.DATABASE_URL)
    return
  }
  const who = embeddedOwner(databaseFolder)
  if (who !== null) throw new StartError(who)
  await checkPorts(hasLeftovers(databaseFolder) ? 12_000 : 0)
}

/** @param {string} folder */
async function runEmbedded(folder) {
  const starting = startEmbedded({ dir: folder, connections: connectionsNeeded(process.env), say: console.log })
  beforeEnd(async () => (await starting.catch(() => null))?.stop())
  const { url, home, port, isAdopted } = await starting
  process.env.DATABASE_URL = url
  process.env.SEED_DEMO ||= 'auto'
  const place = home.startsWith(root) ? path.relative(root, home) : home
  console.log(`Database  ${place} (PostgreSQL on port ${port}${isAdopted ? ', still running from before' : ''})`)
}

const server = 'dist/server.js'
/**
 * A larger young generation than Node's default of 16 MB moves fewer objects that are about to be garbage. The old one may
 * grow by 40 % until it is cleared, not to a multiple (docs/decisions/025-pages-twice-as-fast.md).
 */
const webOptions = ['--max-semi-space-size=32', '--heap-growing-percent=40']

/** @param {string} role */
function launchServer(role) {
  return startChild(process.execPath, [...(role === 'web' ? webOptions : []), server], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, PROCESS_ROLE: role },
  })
}

/**
 * Starts one of several web processes. This process holds their two ports, and each of them accepts connections when it
 * is free. If one dies, the system closes its connections. Handing connections out in turn, as Node does by default,
 * loses those that a dying process was just given: their clients wait forever.
 * @param {string} role
 */
function launchSharingPorts(role) {
  cluster.schedulingPolicy = cluster.SCHED_NONE
  cluster.setupPrimary({ exec: server, execArgv: webOptions, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  return watchChild(cluster.fork({ PROCESS_ROLE: role }).process)
}

/**
 * Keeps one process running. Restarts it whenever it dies: after 0.2 s, doubling to 10 s, and from 0.2 s again after a
 * minute of life. A process that ends before it was ever ready, or because of its settings, has printed the reason;
 * then everything ends.
 * @param {string} role
 * @param {(role: string) => import('node:child_process').ChildProcess} launch
 * @returns {Promise<void>} resolves when it is ready for the first time
 */
function keepRunning(role, launch) {
  let delay = 200
  let wasReady = false
  return new Promise((resolve) => begin(resolve))

  function begin(/** @type {() => void} */ onReady) {
    const bornAt = Date.now()
    const child = launch(role)
    child.on('message', (message) => {
      if (typeof message !== 'object' || !('ready' in message)) return
      wasReady = true
      onReady()
    })
    child.once('exit', (code, signal) => {
      if (isEnding()) return
      if (signal !== null && !wasReady) console.error(`The ${role} process was ended by ${signal} before it was ready.`)
      if (!wasReady || code === MISCONFIGURED) return end(code || 1)
      restart(Date.now() - bornAt, signal ?? `exit code ${code}`, onReady)
    })
  }

  async function restart(/** @type {number} */ lived, /** @type {string} */ reason, /** @type {() => void} */ onReady) {
    if (lived > 60_000) delay = 200
    console.error(`The ${role} process ended (${reason}); restarting it in ${delay / 1000} s`)
    const pause = delay
    delay = Math.min(delay * 2, 10_000)
    await sleep(pause)
    if (!isEnding()) begin(onReady)
  }
}

function printAddresses() {
  const port = process.env.PORT || '3000'
  const address = (/** @type {string | undefined} */ origin, /** @type {string} */ otherwise) =>
    `${new URL(origin || otherwise).origin}/`
  const main = address(process.env.SITE_ORIGIN, `http://localhost:${port}`)
  const second = address(process.env.NS_SITE_ORIGIN, `http://ns.localhost:${port}`)
  console.log(`\nTitrate   ${main}  ·  Titrate NS   ${second}\n`)
}
