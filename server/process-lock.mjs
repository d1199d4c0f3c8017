/**
 * A lock is a file that names its owner. A pid alone may be reused by another process, so the file also has the owner's
 * start time. If the owner dies, by whatever signal, the next process recognizes the lock as abandoned.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'

/** @typedef {{ pid: number, began: string | null, child?: { pid: number, began: string | null }, [about: string]: unknown }} Owner */

const BEING_WRITTEN_MS = 2000

/**
 * The start time of a process, which identifies this life of the pid. Null for dead processes and for zombies, which
 * hold nothing anymore.
 * @param {number} pid
 * @returns {string | null}
 */
export function identify(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return null
  try {
    if (process.platform === 'linux') {
      const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ') // the name before may contain spaces and parentheses
      if (fields[0] === 'Z' || fields[0] === 'X') return null
      return `${bootId()} ${fields[19]}`
    }
    const stat = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    return stat === '' || stat.startsWith('Z') ? null : stat.replace(/^\S+\s+/, '')
  } catch {
    return null
  }
}

function bootId() {
  return fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
}

/**
 * @param {{ pid: number, began: string | null } | undefined} who
 * @returns {boolean}
 */
export function isAlive(who) {
  return who !== undefined && who.began !== null && identify(who.pid) === who.began
}

/**
 * The living owner of a lock, or null.
 * @param {string} file
 * @returns {Owner | null}
 */
export function lockOwner(file) {
  const { owner } = readLock(file)
  return owner !== null && (isAlive(owner) || isAlive(owner.child)) ? owner : null
}

/**
 * True if there is a lock whose owner died without removing it.
 * @param {string} file
 * @returns {boolean}
 */
export function isLeftBehind(file) {
  return fs.existsSync(file) && lockOwner(file) === null
}

/**
 * Takes the lock, or returns its owner.
 * @param {string} file
 * @param {Record<string, unknown>} [about] what others should know about the owner
 */
export function takeLock(file, about = {}) {
  /** @type {Owner} */
  const me = { pid: process.pid, began: identify(process.pid), ...about }
  for (;;) {
    try {
      fs.writeFileSync(file, JSON.stringify(me), { flag: 'wx' })
      return { taken: true, owner: me, update, release }
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error
    }
    const { text, owner, isBeingWritten } = readLock(file)
    if (isBeingWritten) pause(20)
    else if (owner !== null && (isAlive(owner) || isAlive(owner.child))) {
      return { taken: false, owner, update: () => {}, release: () => {} }
    } else if (text !== null) removeIfStill(file, text)
  }

  /** @param {Record<string, unknown>} more */
  function update(more) {
    Object.assign(me, more)
    const draft = `${file}.${process.pid}`
    fs.writeFileSync(draft, JSON.stringify(me))
    fs.renameSync(draft, file)
  }

  function release() {
    if (readLock(file).owner?.pid === process.pid) fs.rmSync(file, { force: true })
  }
}

/** @param {string} file */
function readLock(file) {
  try {
    const text = fs.readFileSync(file, 'utf8')
    try {
      return { text, owner: /** @type {Owner} */ (JSON.parse(text)), isBeingWritten: false }
    } catch {
      return { text, owner: null, isBeingWritten: Date.now() - fs.statSync(file).mtimeMs < BEING_WRITTEN_MS }
    }
  } catch {
    return { text: null, owner: null, isBeingWritten: false }
  }
}

/**
 * Removes a dead lock. Two processes may find the same one, so the one that moves it away checks what it moved: neither
 * may remove the other's new lock.
 */
function removeIfStill(/** @type {string} */ file, /** @type {string} */ text) {
  const aside = `${file}.dead.${process.pid}`
  try {
    fs.renameSync(file, aside)
    if (fs.readFileSync(aside, 'utf8') !== text && !fs.existsSync(file)) fs.renameSync(aside, file)
    else fs.rmSync(aside, { force: true })
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error
  }
}

function pause(/** @type {number} */ ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
