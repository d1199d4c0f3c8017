/**
 * Storage of bytes: a port with one adapter (a folder on this machine). Any other adapter must pass the same contract
 * test. Files are immutable: writing a key again replaces the whole file.
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

/** Sets another adapter or folder. Called before first use, by the server's start and by tests. */
export function setStorage(adapter: Storage): void {
  current = adapter
}
