/**
 * The running PostgreSQL of one folder: starts it, finds it again, stops it, and cleans up after one that was killed.
 */
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, isAlive } from './process-lock.mjs'
import { isDiskFull, StartError } from './start-error.mjs'

/** @typedef {{ pid: number, began: string | null, port: number }} Postmaster */

/**
 * @typedef {object} Cluster
 * @property {string} home
 * @property {import('./pg-home.mjs').User} user
 * @property {import('./pg-home.mjs').Binaries} binaries
 * @property {boolean} quick
 * @property {number} connections how many it must accept
 * @property {(line: string) => void} say
 */

export const READY_MS = 60_000
const LOG_LIMIT = 5_000_000

/**
 * Small, so that the whole product at rest stays under 512 MB. The log contains no values, since they are personal
 * data.
 */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  io_method: 'sync',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
}

/** For tests only: the data would not survive a power cut. */
const QUICK_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
}

/**
 * Starts PostgreSQL and resolves when it accepts connections. It gets its own process group, so that a Ctrl-C reaches
 * only us and we stop it last.
 * @param {Cluster} cluster
 * @param {number} port
 * @returns {Promise<Postmaster>}
 */
export async function launch(cluster, port) {
  const { home, user, binaries, quick, connections } = cluster
  await clearRemains(home)
  const log = path.join(home, 'log')
  if (fs.existsSync(log) && fs.statSync(log).size > LOG_LIMIT) fs.renameSync(log, `${log}.old`)
  const fd = fs.openSync(log, 'a', 0o600)
  const logStart = fs.fstatSync(fd).size
  const settings = Object.entries({
    ...SETTINGS,
    ...(quick ? QUICK_SETTINGS : {}),
    max_connections: String(connections),
  }).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  const child = spawn(binaries.postgres, ['-D', path.join(home, 'data'), '-p', String(port), ...settings], {
    ...user,
    cwd: '/',
    env: cleanEnv(),
    detached: true,
    stdio: ['ignore', fd, fd],
  })
  fs.closeSync(fd)
  child.unref()
  let ended = ''
  child.once('error', (error) => {
    ended = error.message
  })
  child.once('exit', (code, signal) => {
    ended ||= `ended with ${signal ?? code}`
  })
  for (const end = Date.now() + READY_MS; Date.now() < end; await sleep(20)) {
    if (ended !== '') throw explainFailure(home, fs.readFileSync(log, 'utf8').slice(logStart) || ended)
    if (findPostmaster(home)?.pid === child.pid && isReady(home)) break
  }
  if (child.pid === undefined || !isReady(home)) {
    child.kill('SIGQUIT')
    throw new StartError(`PostgreSQL in ${home} did not become ready; its log is ${log}.`)
  }
  return { pid: child.pid, began: identify(child.pid), port }
}

/** @param {Postmaster | null} postmaster */
export async function endPostmaster(postmaster) {
  if (postmaster === null) return
  for (const [signal, patience] of /** @type {[NodeJS.Signals, number][]} */ ([
    ['SIGINT', 15_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ])) {
    try {
      if (isAlive(postmaster)) process.kill(postmaster.pid, signal)
    } catch {
      return
    }
    for (const end = Date.now() + patience; Date.now() < end; await sleep(10)) if (!isAlive(postmaster)) return
  }
}

/** The living postmaster of this folder, even if its pid file names processes that are long gone. */
export function findPostmaster(/** @type {string} */ home) {
  const lines = readPidFile(home)
  const pid = Number(lines[0])
  const began = identify(pid)
  if (began === null || !worksIn(pid, home)) return null
  return { pid, began, port: Number(lines[3]) }
}

/** @param {string} home */
export function isReady(home) {
  return readPidFile(home)[7]?.trim() === 'ready'
}

/** @param {string} home */
function readPidFile(home) {
  try {
    return fs.readFileSync(path.join(home, 'data', 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return []
  }
}

/**
 * PostgreSQL's processes all work in their data folder. This tells a postmaster from another process that got its pid.
 */
function worksIn(/** @type {number} */ pid, /** @type {string} */ home) {
  try {
    if (process.platform === 'linux')
      return fs.readlinkSync(`/proc/${pid}/cwd`) === fs.realpathSync(path.join(home, 'data'))
    return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(
      path.join(home, 'data'),
    )
  } catch {
    return false
  }
}

/** @param {Postmaster} postmaster @param {import('./pg-home.mjs').Binaries} binaries */
export function runsOurBinary(postmaster, binaries) {
  if (process.platform !== 'linux') return true
  try {
    return fs.readlinkSync(`/proc/${postmaster.pid}/exe`) === fs.realpathSync(binaries.postgres)
  } catch {
    return false
  }
}

/** How many connections the postmaster of this folder was started to accept. */
export function connectionsOf(/** @type {string} */ home) {
  try {
    const command = fs.readFileSync(path.join(home, 'data', 'postmaster.opts'), 'utf8')
    return Number(command.match(/max_connections=(\d+)/)?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** @param {string} home @param {Postmaster} postmaster */
export async function becomesReady(home, postmaster) {
  for (const end = Date.now() + READY_MS; Date.now() < end && isAlive(postmaster); await sleep(50))
    if (isReady(home)) return true
  return false
}

/**
 * Removes the pid file that a killed postmaster leaves. PostgreSQL respects such a file if its pid now belongs to
 * another process or has not been reaped. The server processes of the killed one end within moments; the file is
 * removed when the last one is gone, because they share the memory that it describes.
 * @param {string} home
 */
async function clearRemains(home) {
  const pidFile = path.join(home, 'data', 'postmaster.pid')
  if (process.platform !== 'linux' || !fs.existsSync(pidFile)) return
  for (const start = Date.now(); Date.now() - start < 20_000; await sleep(50)) {
    const remaining = processesIn(home)
    if (remaining.length === 0) {
      fs.rmSync(pidFile, { force: true })
      return
    }
    if (Date.now() - start < 3000) continue
    for (const pid of remaining) {
      try {
        process.kill(pid, 'SIGQUIT')
      } catch {
        // the process has ended in the meantime
      }
    }
  }
}

/** @param {string} home */
function processesIn(home) {
  const pids = fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  return pids.filter((pid) => identify(pid) !== null && worksIn(pid, home))
}

/**
 * The environment of PostgreSQL: without PGDATA, PGPORT and the like, and with English messages, because we read them.
 * @returns {NodeJS.ProcessEnv}
 */
export function cleanEnv() {
  const { PATH = '', NODE_ENV } = process.env
  return { PATH, NODE_ENV, LC_ALL: 'C', TZ: 'UTC' }
}

/** @param {string} home @param {string} output */
export function explainFailure(home, output) {
  if (/No space left on device|Disk quota exceeded/.test(output) || isDiskFull(home))
    return new StartError(`The disk that holds ${home} is full.`)
  const last = output.match(/(?:FATAL|PANIC|ERROR|error): .*/g)?.at(-1) ?? output.trim().split('\n').at(-1)
  return new StartError(`PostgreSQL in ${home} does not start: ${(last || 'it gave no reason').replace(/\.$/, '')}.`)
}
