/** The storage port: what an adapter offers, the errors it throws, and what a key may look like. */
import type { Readable } from 'node:stream'

export type StoredBytes = { size: number; sha256: Buffer }
export type StorageStat = { size: number }
export type StorageEntry = { key: string; modifiedAt: Date }
/** Both ends included, as in HTTP. */
export type ByteRange = { start: number; end: number }

export type Storage = {
  /** Streams to a temporary place and shows the file only when it is whole and on disk. Throws FileTooLarge beyond `maxBytes`. */
  write(key: string, source: Readable, options: { maxBytes: number }): Promise<StoredBytes>
  /** Throws FileMissing. */
  read(key: string, range?: ByteRange): Promise<Readable>
  stat(key: string): Promise<StorageStat | null>
  /** Not an error where nothing is. */
  delete(key: string): Promise<void>
  /** All keys under a prefix that ends with a slash. */
  deletePrefix(prefix: string): Promise<void>
  /** The files directly under a prefix, '' being the top; folders are left out. */
  list(prefix: string): AsyncIterable<StorageEntry>
  /** A path on this machine with the file's bytes, for readers that jump about in it (zip). Throws FileMissing. */
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

/** A key is a relative path with forward slashes. Nothing in it may climb, be hidden at the top, or mean something to a file system. */
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
