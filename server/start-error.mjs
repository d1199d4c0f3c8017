import fs from 'node:fs'

/**
 * An error that people can fix: shown as one sentence without a stack. Every other error is a defect and is shown in
 * full.
 */
export class StartError extends Error {
  name = 'StartError'
}

/**
 * Turns an error of the file system into a sentence about the place.
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
    return new StartError(`There is a file where the folder ${place} should be.`)
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
