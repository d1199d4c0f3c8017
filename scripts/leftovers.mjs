/** Finds and ends processes that a test run has left behind. They are found in /proc, so only on Linux. */
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits until no process has `TEST_RUN=run` in the environment it was started with, and then kills the others.
 * @param {string} run
 * @param {number} [patienceMs]
 * @returns {Promise<string[]>} what was killed: a process id and a command line each
 */
export async function endLeftovers(run, patienceMs = 15_000) {
  const until = Date.now() + patienceMs
  while (processesOf(run).length > 0 && Date.now() < until) await sleep(100)
  return processesOf(run).flatMap((pid) => {
    const command = read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      return [] // it has ended
    }
    return [`process ${pid}: ${command.slice(0, 200)}`]
  })
}

/** @param {string} run */
function processesOf(run) {
  if (!fs.existsSync('/proc/self/environ')) return []
  return fs
    .readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && read(`/proc/${pid}/environ`).split('\0').includes(`TEST_RUN=${run}`))
}

/** @param {string} file */
function read(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return '' // the process has ended or belongs to somebody else
  }
}
