import fs from 'node:fs'

/** What people must read when a start fails: one sentence, no stack. Everything else that is thrown is a defect and is shown whole. */
export class StartError extends Error {
  name = 'StartError'
}

/**
 * Turns what the file system refused into a sentence about the place.
 * @param {unknown} error
 * @param {string} place
 * @returns {unknown}
 */
export function explainFileError(error, place) {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT') return new StartError(`The disk that holds ${place} is full.`)
  if (code === 'EROFS') return new StartError(`${place} is on a read-only disk.`)
  if (code === 'EACCES' || code === 'EPERM') return new StartError(`This user may not write to ${place}.`)
  if (code === 'ENOTDIR' || code === 'EEXIST')
    return new StartError(`A file stands where the folder ${place} should be.`)
  if (code !== undefined && error instanceof Error && 'syscall' in error)
    return new StartError(`${place} cannot be used (${code}).`)
  return error
}

/** @param {string} place an existing folder */
export function isDiskFull(place) {
  const { bavail, bsize } = fs.statfsSync(place)
  return bavail * bsize < 1_000_000
}

/**
 * Runs `work` and names the place if the file system refuses.
 * @template T
 * @param {string} place
 * @param {() => T} work
 * @returns {T}
 */
export function withPlace(place, work) {
  try {
    return work()
  } catch (error) {
    throw explainFileError(error, place)
  }
}
