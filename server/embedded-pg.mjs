/**
 * PostgreSQL for evaluation and for one machine: the real binaries from npm, run beside the product.
 *
 * These rules hold: each database has one owner, named by a lock beside the data. If its owner dies, the database keeps
 * running and the next owner adopts it. While it has an owner, it is restarted on the same port whenever it stops. It
 * listens only on 127.0.0.1, behind a random password.
 */
import { spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { databaseUser, findBinaries, findHome, makeHome } from './pg-home.mjs'
import {
  becomesReady,
  cleanEnv,
  connectionsOf,
  endPostmaster,
  explainFailure,
  findPostmaster,
  isReady,
  launch,
  READY_MS,
  runsOurBinary,
} from './postmaster.mjs'
import { isAlive, isLeftBehind, lockOwner, takeLock } from './process-lock.mjs'
import { explainFileError, StartError, withPlace } from './start-error.mjs'

/** @typedef {import('./postmaster.mjs').Cluster} Cluster */
/** @typedef {import('./postmaster.mjs').Postmaster} Postmaster */

const FEWEST_CONNECTIONS = 60
/** As many as the highest settings need. */
const MOST_CONNECTIONS = 7000

/**
 * How many connections `npm start` may need: a pool and a few more for each web process and the worker, and some for the
 * set-up, commands and psql. A pool has at most ten unless it is set. Values that are not numbers are left to the set-up,
 * which refuses them.
 * @param {Record<string, string | undefined>} env
 */
export function connectionsNeeded(env) {
  const processes = Number(env.WEB_PROCESSES || 1) + 1
  const needed = processes * (Number(env.DATABASE_POOL_SIZE || 10) + 6) + 20
  return Number.isInteger(needed)
    ? Math.min(Math.max(needed, FEWEST_CONNECTIONS), MOST_CONNECTIONS)
    : FEWEST_CONNECTIONS
}

/**
 * Takes ownership of the database in `dir` and keeps it running until `stop`.
 * @param {{
 *   dir: string,
 *   port?: number,
 *   quick?: boolean,
 *   connections?: number,
 *   name?: string,
 *   say?: (line: string) => void
 * }} options `name` is the owning command, for the message that a second one gets
 */
export async function startEmbedded({
  dir,
  port,
  quick = false,
  connections = quick ? 120 : FEWEST_CONNECTIONS,
  name = 'npm start',
  say = () => {},
}) {
  const near = path.resolve(dir)
  const user = databaseUser(findHome(near))
  const home = await makeHome(near, user, (folder) => moveAside(folder, say))
  const lock = withPlace(home, () => takeLock(path.join(home, 'lock'), { name }))
  if (!lock.taken) throw new StartError(describeOwner(lock.owner))
  try {
    const binaries = await findBinaries(user)
    const cluster = { home, user, binaries, quick, connections, say }
    await create(cluster)
    const { postmaster, isAdopted } = await adoptOrLaunch(cluster, port)
    const keeper = keepRunning(cluster, postmaster)
    const url = (/** @type {string} */ database) => databaseUrl(home, postmaster.port, database)
    const stop = async () => {
      await keeper.stop()
      lock.release()
    }
    const destroy = async () => {
      await stop()
      await removeEmbedded(near)
    }
    return { url: url('titrate'), urlOf: url, port: postmaster.port, home, isAdopted, pid: keeper.pid, stop, destroy }
  } catch (error) {
    lock.release()
    throw explainFileError(error, home)
  }
}

/**
 * The address of the database in `dir` if it is running and has an owner, for commands that only use it.
 * @param {string} dir
 * @returns {Promise<string | null>}
 */
export async function findEmbedded(dir) {
  const home = findHome(path.resolve(dir))
  for (const end = Date.now() + READY_MS; Date.now() < end; await sleep(100)) {
    if (lockOwner(path.join(home, 'lock')) === null) return null
    const postmaster = findPostmaster(home)
    if (postmaster !== null && isReady(home))
      return withPlace(home, () => databaseUrl(home, postmaster.port, 'titrate'))
  }
  throw new StartError(`The database in ${home} did not become ready; its log is ${path.join(home, 'log')}.`)
}

/**
 * Says in a sentence who owns the database in `dir` now, or null.
 * @param {string} dir
 * @returns {string | null}
 */
export function embeddedOwner(dir) {
  const owner = lockOwner(path.join(findHome(path.resolve(dir)), 'lock'))
  return owner && describeOwner(owner)
}

/**
 * True if the last owner of the database in `dir` was killed. Its children may need a moment to end.
 * @param {string} dir
 */
export function hasLeftovers(dir) {
  return isLeftBehind(path.join(findHome(path.resolve(dir)), 'lock'))
}

/** @param {import('./process-lock.mjs').Owner} owner */
function describeOwner(owner) {
  if (owner.name === 'npm start')
    return `Titrate is already running here (process ${owner.pid}). Stop it before starting it again.`
  return `The database here is in use by "${owner.name}" (process ${owner.pid}). Wait until it ends, then start again.`
}

/**
 * Removes databases that killed test runs left in `parent`.
 * @param {string} parent
 * @param {string} prefix
 */
export async function sweepEmbedded(parent, prefix) {
  const names = fs.existsSync(parent) ? fs.readdirSync(parent).filter((name) => name.startsWith(prefix)) : []
  for (const name of names) {
    const near = path.join(path.resolve(parent), name)
    const home = findHome(near)
    if (lockOwner(path.join(home, 'lock')) !== null) continue
    const isJustBeingMade = !fs.existsSync(path.join(home, 'lock')) && Date.now() - fs.statSync(near).mtimeMs < 60_000
    if (isJustBeingMade) continue
    await removeEmbedded(near)
  }
}

/**
 * Stops the database in `dir`, whoever owned it, and removes it.
 * @param {string} dir
 */
export async function removeEmbedded(dir) {
  const near = path.resolve(dir)
  const home = findHome(near)
  await endPostmaster(findPostmaster(home))
  for (const folder of [home, near]) fs.rmSync(folder, { recursive: true, force: true })
}

/** @param {string} folder @param {(line: string) => void} say */
async function moveAside(folder, say) {
  const owner = lockOwner(path.join(folder, 'lock'))
  if (owner !== null) throw new StartError(describeOwner(owner))
  await endPostmaster(findPostmaster(folder))
  const aside = `${folder}.before-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}`
  withPlace(folder, () => fs.renameSync(folder, aside))
  say(`A database of an earlier project in this folder was moved to ${aside}`)
}

/**
 * Creates the database unless it exists. It is built under another name first, so that a half-built one never counts.
 */
async function create(/** @type {Cluster} */ { home, user, binaries, quick }) {
  const data = path.join(home, 'data')
  const passwordFile = path.join(home, 'password')
  if (fs.existsSync(data)) {
    if (fs.existsSync(passwordFile)) return
    throw new StartError(`The database's password is missing: ${passwordFile}. Restore it from a backup.`)
  }
  const draft = `${data}.new`
  const draftPassword = `${passwordFile}.new`
  fs.rmSync(draft, { recursive: true, force: true })
  fs.mkdirSync(draft, { mode: 0o700 })
  const password = crypto.randomBytes(18).toString('base64url')
  for (const file of [passwordFile, draftPassword]) {
    fs.rmSync(file, { force: true })
    fs.writeFileSync(file, password, { mode: 0o600 })
  }
  if (user.uid !== undefined && user.gid !== undefined) {
    for (const file of [draft, draftPassword]) fs.chownSync(file, user.uid, user.gid)
  }
  const sync = quick ? ['--no-sync'] : []
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']
  runOnce(home, user, binaries.initdb, [
    ...[
      '-D',
      draft,
      '-U',
      'titrate',
      '--auth=scram-sha-256',
      `--pwfile=${draftPassword}`,
      '--no-instructions',
      ...locale,
      ...sync,
    ],
  ])
  runOnce(
    home,
    user,
    binaries.postgres,
    ['--single', ...(quick ? ['-F'] : []), '-D', draft, 'postgres'],
    'create database titrate\n',
  )
  fs.rmSync(draftPassword)
  fs.renameSync(draft, data)
}

/**
 * @param {string} home
 * @param {import('./pg-home.mjs').User} user
 * @param {string} command
 * @param {string[]} args
 * @param {string} [input]
 */
function runOnce(home, user, command, args, input = '') {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    ...user,
    cwd: '/',
    env: cleanEnv(),
    input,
    encoding: 'utf8',
  })
  if (status === 0 && !/^.*(FATAL|ERROR):/m.test(stderr)) return
  throw explainFailure(home, error ? error.message : `${stdout}\n${stderr}`)
}

/** @param {Cluster} cluster @param {number} [port] */
async function adoptOrLaunch(cluster, port) {
  const running = findPostmaster(cluster.home)
  if (running !== null) {
    const isFit = runsOurBinary(running, cluster.binaries) && connectionsOf(cluster.home) >= cluster.connections
    if (isFit && (await becomesReady(cluster.home, running))) return { postmaster: running, isAdopted: true }
    // An older version, one whose files were replaced by an installation, or one with too few connections.
    await endPostmaster(running)
  }
  if (port !== undefined) return { postmaster: await launch(cluster, port), isAdopted: false }
  for (const candidate of portsOf(cluster.home)) {
    if (!(await isFree(candidate))) continue
    try {
      return { postmaster: await launch(cluster, candidate), isAdopted: false }
    } catch (error) {
      if (!(error instanceof Error && /could not create any TCP\/IP sockets/.test(error.message))) throw error
    }
  }
  throw new StartError('No port between 20000 and 29999 is free for the database.')
}

/** Yields the same ports for the same folder, below the range that the system uses for outgoing connections. */
function* portsOf(/** @type {string} */ home) {
  const first = crypto.createHash('sha256').update(home).digest().readUInt32BE(0)
  for (let step = 0; step < 100; step++) yield 20_000 + ((first + step * 97) % 10_000)
}

/** @param {number} port @returns {Promise<boolean>} */
function isFree(port) {
  return new Promise((resolve) => {
    const server = net.createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}

/**
 * Restarts the postmaster on its port whenever it stops: after 0.2 s, doubling to 10 s, and from 0.2 s again after a
 * minute of life.
 * @param {Cluster} cluster
 * @param {Postmaster} first
 */
function keepRunning(cluster, first) {
  let postmaster = first
  let delay = 200
  let bornAt = Date.now()
  let isStopping = false
  /** @type {Promise<void>} */
  let reviving = Promise.resolve()
  let isReviving = false
  const watch = setInterval(() => {
    if (isStopping || isReviving || isAlive(postmaster)) return
    isReviving = true
    reviving = revive().finally(() => {
      isReviving = false
    })
  }, 200)
  watch.unref()
  return { pid: () => postmaster.pid, stop }

  async function revive() {
    if (Date.now() - bornAt > 60_000) delay = 200
    cluster.say(`PostgreSQL stopped; restarting it in ${delay / 1000} s`)
    while (!isStopping) {
      await sleep(delay)
      delay = Math.min(delay * 2, 10_000)
      if (isStopping) return
      try {
        postmaster = await launch(cluster, first.port)
        bornAt = Date.now()
        cluster.say('PostgreSQL is running again')
        return
      } catch (error) {
        cluster.say(`${error instanceof Error ? error.message : error} Trying again in ${delay / 1000} s`)
      }
    }
  }

  async function stop() {
    isStopping = true
    clearInterval(watch)
    await reviving
    await endPostmaster(postmaster)
  }
}

/** @param {string} home @param {number} port @param {string} database */
function databaseUrl(home, port, database) {
  const password = fs.readFileSync(path.join(home, 'password'), 'utf8').trim()
  return `postgres://titrate:${password}@127.0.0.1:${port}/${database}`
}
