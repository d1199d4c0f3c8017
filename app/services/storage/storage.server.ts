/**
 * Storage: where bytes live. A port with one adapter today (a folder on this machine); another one must pass the same
 * contract test. Files are immutable: a key is written once, and writing the same key again replaces it whole, never in part.
 */
import path from 'node:path'
import { env } from '~/config/env.server.ts'
import { diskStorage } from './disk.server.ts'
import type { Storage } from './port.ts'

export { FileMissing, FileTooLarge, type Storage } from './port.ts'

let current: Storage | undefined

/** The storage of this process. */
export function storage(): Storage {
  current ??= diskStorage(path.resolve(env().DATA_DIR, 'files'))
  return current
}

/** Chooses another adapter or folder; called before first use, by the server's start and by tests. */
export function setStorage(adapter: Storage): void {
  current = adapter
}
