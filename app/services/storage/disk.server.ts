/** The storage adapter for a single machine: a folder that only the user of our processes can read. */
import { createHash, randomUUID } from 'node:crypto'
import { chmod, type FileHandle, mkdir, open, opendir, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import {
  type ByteRange,
  FileMissing,
  FileTooLarge,
  requireStorageKey,
  requireStoragePrefix,
  type Storage,
  type StorageEntry,
  type StorageStat,
  type StoredBytes,
} from './port.ts'

/**
 * Folder for incomplete files. It is on the same file system, so that the rename is atomic. No key can begin with a
 * dot.
 */
const temporaryFolder = '.tmp'
/** Whoever writes does so more often. Killed processes have left what is older. */
const abandonedMs = 60 * 60 * 1000

export function diskStorage(root: string): Storage {
  const pathOf = (key: string) => {
    requireStorageKey(key)
    return path.join(root, ...key.split('/'))
  }
  let prepared: Promise<string> | undefined
  const temporary = () => {
    prepared ??= prepareTemporaryFolder(root).catch((error) => {
      prepared = undefined
      throw error
    })
    return prepared
  }

  return {
    async write(key, source, { maxBytes }) {
      // `pathOf` may throw before anything reads the source, which then has to be destroyed.
      try {
        const target = pathOf(key)
        return await writeWhole(path.join(await temporary(), randomUUID()), target, source, maxBytes)
      } catch (error) {
        // Somebody may have removed the folder.
        prepared = undefined
        throw error
      } finally {
        source.destroy()
      }
    },
    read: (key, range) => openForReading(key, pathOf(key), range),
    stat: (key) => statFile(pathOf(key)),
    async delete(key) {
      await unlink(pathOf(key)).catch(ignoreMissing)
    },
    async deletePrefix(prefix) {
      requireStoragePrefix(prefix)
      await rm(path.join(root, ...prefix.split('/')), { recursive: true, force: true })
    },
    list: (prefix) => listFiles(root, prefix),
    deleteAbandoned: () => deleteAbandoned(path.join(root, temporaryFolder)),
    async localPath(key) {
      if (!(await statFile(pathOf(key)))) throw new FileMissing(key)
      return pathOf(key)
    },
  }
}

async function writeWhole(temporary: string, target: string, source: Readable, maxBytes: number): Promise<StoredBytes> {
  const handle = await open(temporary, 'wx', 0o600)
  try {
    const written = await copy(source, handle, maxBytes)
    // Without this, a power failure could leave an empty file that the database already knows.
    await handle.sync()
    await handle.close()
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 })
    await rename(temporary, target)
    return written
  } catch (error) {
    await handle.close().catch(() => {})
    await unlink(temporary).catch(() => {})
    throw error
  }
}

async function copy(source: Readable, handle: FileHandle, maxBytes: number): Promise<StoredBytes> {
  const hash = createHash('sha256')
  let size = 0
  for await (const part of source) {
    const bytes: Buffer = typeof part === 'string' ? Buffer.from(part) : part
    size += bytes.length
    if (size > maxBytes) throw new FileTooLarge(maxBytes)
    hash.update(bytes)
    for (let written = 0; written < bytes.length; ) {
      written += (await handle.write(bytes, written)).bytesWritten
    }
  }
  return { size, sha256: hash.digest() }
}

async function openForReading(key: string, file: string, range: ByteRange | undefined): Promise<Readable> {
  let handle: FileHandle
  try {
    handle = await open(file, 'r')
  } catch (error) {
    if (isMissing(error)) throw new FileMissing(key)
    throw error
  }
  if (!(await handle.stat()).isFile()) {
    await handle.close()
    throw new FileMissing(key)
  }
  return handle.createReadStream(range ? { start: range.start, end: range.end } : {})
}

async function statFile(file: string): Promise<StorageStat | null> {
  try {
    const found = await stat(file)
    return found.isFile() ? { size: found.size } : null
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

async function* listFiles(root: string, prefix: string): AsyncIterable<StorageEntry> {
  if (prefix !== '') requireStoragePrefix(prefix)
  const folder = path.join(root, ...prefix.split('/'))
  const entries = await opendir(folder).catch((error) => {
    if (isMissing(error)) return []
    throw error
  })
  for await (const entry of entries) {
    if (!entry.isFile()) continue
    const found = await stat(path.join(folder, entry.name)).catch(() => null)
    if (found) yield { key: `${prefix}${entry.name}`, modifiedAt: found.mtime }
  }
}

/** Also closes the root to other users of the machine, for folders that were made before they were private. */
async function prepareTemporaryFolder(root: string): Promise<string> {
  const folder = path.join(root, temporaryFolder)
  await mkdir(path.dirname(root), { recursive: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(root, 0o700).catch(ignoreForeign)
  return folder
}

async function deleteAbandoned(folder: string): Promise<number> {
  let deleted = 0
  for (const name of await readdir(folder).catch(() => [])) {
    const file = path.join(folder, name)
    const found = await stat(file).catch(() => null)
    if (!found || found.mtimeMs >= Date.now() - abandonedMs) continue
    await rm(file, { force: true })
    deleted++
  }
  return deleted
}

function isMissing(error: unknown): boolean {
  const code = (error as { code?: string }).code
  // ENAMETOOLONG: no such name can have been written. ENOTDIR: a part of the path is a file.
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG' || code === 'EISDIR'
}

/** Some shared file systems have no permissions to change, or another owner. Their mount decides who may read. */
function ignoreForeign(error: unknown): void {
  const { code } = error as { code?: string }
  if (code !== 'EPERM' && code !== 'ENOTSUP') throw error
}

function ignoreMissing(error: unknown): void {
  if (!isMissing(error)) throw error
}
