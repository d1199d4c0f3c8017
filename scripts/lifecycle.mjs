/**
 * How our commands end: by themselves, by a signal, or because npm above them is gone. In each case the children are
 * ended first, and then the clean-ups run, newest first.
 */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { StartError } from '../server/start-error.mjs'

/** @type {(() => unknown)[]} */
const cleanups = []
/** @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set()
let endingSince = 0
let isSignalExpected = false

const SIGNALS = /** @type {const} */ ({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })
/** A web process that announces its end needs that time too. */
const PATIENCE_MS = 12_000 + 1000 * (Number(process.env.SHUTDOWN_DELAY) || 0)

/** @param {() => unknown} cleanup */
export function beforeEnd(cleanup) {
  cleanups.push(cleanup)
}

/** @param {number} code */
export async function end(code) {
  if (endingSince > 0) return new Promise(() => {})
  endingSince = Date.now()
  await Promise.all([...children].map((child) => endChild(child)))
  for (const cleanup of cleanups.reverse()) {
    try {
      await cleanup()
    } catch (error) {
      printError(error)
    }
  }
  process.exit(code)
}

/** From here on a signal is the normal way to end and not a failure. */
export function expectSignal() {
  isSignalExpected = true
}

export function isEnding() {
  return endingSince > 0
}

/**
 * Runs `main` as the whole command. A problem that people can fix ends it with one sentence, any other error with its
 * stack.
 * @param {() => Promise<number>} main resolves with the exit code
 */
export async function runCommand(main) {
  for (const [signal, code] of Object.entries(SIGNALS)) process.on(signal, () => onSignal(code))
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {}) // a closed pipe must not keep us from a clean end
  process.on('uncaughtException', (error) => {
    printError(error)
    end(1)
  })
  followNpm()
  try {
    await end(await main())
  } catch (error) {
    if (!isEnding()) printError(error)
    await end(1)
  }
}

/** @param {number} code */
function onSignal(code) {
  const isAskedAgain = endingSince > 0 && Date.now() - endingSince > 1000 // the terminal and npm may both forward one Ctrl-C
  if (!isAskedAgain) return end(isSignalExpected ? 0 : code)
  for (const child of children) kill(child, 'SIGKILL')
  process.exit(code)
}

/** @param {unknown} error */
function printError(error) {
  console.error(error instanceof StartError ? error.message : error)
}

/**
 * Starts a child in its own process group, so that a Ctrl-C reaches it only through us, and a kill also reaches the
 * processes that it started.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 */
export function startChild(command, args, options = {}) {
  if (isEnding()) throw new StartError('Ending.')
  return watchChild(spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true, ...options }))
}

/**
 * Ends this child when we end.
 * @param {import('node:child_process').ChildProcess} child
 */
export function watchChild(child) {
  children.add(child)
  child.once('exit', () => children.delete(child))
  child.once('error', () => children.delete(child))
  return child
}

/**
 * Resolves with the exit code of a child. Never resolves once we are ending, since code that waits for a child must not
 * go on to the next step then.
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>} its exit code; 1 if it could not start or was killed
 */
export function exitOf(child) {
  return new Promise((resolve) => {
    if (child.exitCode !== null) resolve(child.exitCode)
    child.once('error', (error) => {
      console.error(`${child.spawnfile}: ${error.message}`)
      resolve(1)
    })
    child.once('close', (code, signal) => {
      if (isEnding()) return
      if (signal !== null) console.error(`${child.spawnargs.slice(0, 3).join(' ')} was ended by ${signal}.`)
      resolve(code ?? 1)
    })
  })
}

/**
 * Ends a child with its group; by SIGKILL if it has not ended in time.
 * @param {import('node:child_process').ChildProcess} child
 */
export function endChild(child, patienceMs = PATIENCE_MS) {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    const timer = setTimeout(() => kill(child, 'SIGKILL'), patienceMs)
    child.once('exit', () => {
      clearTimeout(timer)
      resolve(undefined)
    })
    kill(child, 'SIGTERM')
  })
}

/** @param {import('node:child_process').ChildProcess} child @param {NodeJS.Signals} signal */
function kill(child, signal) {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal)
  } catch {
    child.kill(signal) // it has no process group of its own, or the group is gone
  }
}

/**
 * npm runs us under a shell. A SIGTERM to npm ends only the shell, and a kill -9 of npm ends only npm; in both cases we
 * would go on alone. So we end when our parent changes or, while the parent is npm's shell, when the shell's parent
 * changes.
 */
function followNpm() {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const npm = isNpmsShell(parent) ? parentOf(parent) : null
  const watch = setInterval(() => {
    if (process.ppid !== parent || (npm !== null && parentOf(parent) !== npm)) end(SIGNALS.SIGTERM)
  }, 500)
  watch.unref()
}

/** @param {number} pid */
function isNpmsShell(pid) {
  try {
    const [shell = '', option] = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    return /(^|\/)(sh|bash|dash|zsh)$/.test(shell) && option === '-c'
  } catch {
    return false
  }
}

/** @param {number} pid */
function parentOf(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null
  }
}
