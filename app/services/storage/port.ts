/** The storage port: the interface of adapters, the errors they throw, and the format of keys. */
import type { Readable } from 'node:stream'

export type StoredBytes = { size: number; sha256: Buffer }
export type StorageStat = { size: number }
export type StorageEntry = { key: string; modifiedAt: Date }
/** Both ends included, as in HTTP. */
export type ByteRange = { start: number; end: number }

export type Storage = {
  /**
   * Streams to a temporary file, and makes it visible only when it is complete and on disk. Throws FileTooLarge beyond
   * `maxBytes`.
   */
  write(key: string, source: Readable, options: { maxBytes: number }): Promise<StoredBytes>
  /** Throws FileMissing. */
  read(key: string, range?: ByteRange): Promise<Readable>
  stat(key: string): Promise<StorageStat | null>
  /** Does nothing if there is no such file. */
  delete(key: string): Promise<void>
  /** Deletes all keys under a prefix, which must end with a slash. */
  deletePrefix(prefix: string): Promise<void>
  /** Lists the files directly under a prefix, without folders. '' is the top. */
  list(prefix: string): AsyncIterable<StorageEntry>
  /** Deletes the incomplete files that killed processes have left, and returns their number. */
  deleteAbandoned(): Promise<number>
  /** Returns a local path with the file's bytes, for readers that need random access (zip). Throws FileMissing. */
  localPath(key: string): Promise<string>
}

export class FileTooLarge extends Error {
  readonly maxBytes: number
  constructor(maxBytes: number) {
    super(`The file is larger than ${maxBytes} bytes`)
    this.name = 'FileTooLarge'
    this.maxBytes = maxBytes
  }
}

export class FileMissing extends Error {
  constructor(key: string) {
    super(`There is no stored file ${JSON.stringify(key)}`)
    this.name = 'FileMissing'
  }
}

/**
 * Tells whether a key is valid: a relative path with forward slashes, without parts that lead upward, are hidden at the
 * top, or have a meaning for a file system.
 */
function isStorageKey(key: string): boolean {
  if (key.length === 0 || key.length > 2000 || key.startsWith('.') || /[\\\p{Cc}\p{Cs}]/u.test(key)) return false
  if (/^[a-z]:/i.test(key)) return false
  return key.split('/').every(isKeySegment)
}

function isKeySegment(segment: string): boolean {
  return segment !== '' && segment !== '.' && segment !== '..' && Buffer.byteLength(segment) <= 255
}

export function requireStorageKey(key: string): void {
  if (!isStorageKey(key)) throw new Error(`Not a key for stored files: ${JSON.stringify(key.slice(0, 200))}`)
}

export function requireStoragePrefix(prefix: string): void {
  if (!prefix.endsWith('/') || !isStorageKey(prefix.slice(0, -1))) {
    throw new Error(`Not a prefix of stored files: ${JSON.stringify(prefix.slice(0, 200))}`)
  }
}
