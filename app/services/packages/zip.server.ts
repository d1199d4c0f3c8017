/**
 * Reads the zip of a package without trusting any of it. First checks all names and sizes in the directory; then
 * streams the files, counting their bytes and comparing them with their checksum and their own header.
 */
import { createReadStream } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createInflateRaw } from 'node:zlib'
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from 'yauzl'
import { inMegabytes, PackageRefused, packageLimits, quote } from './limits.ts'

export type ZipEntry = { path: string; size: number; raw: Entry }

export class PackageZip {
  /** Files only, with NFC paths. Folders are ignored. */
  readonly entries: ZipEntry[]
  private readonly file: string
  private readonly zip: ZipFile

  constructor(file: string, zip: ZipFile, entries: ZipEntry[]) {
    this.file = file
    this.zip = zip
    this.entries = entries
  }

  close(): void {
    this.zip.close()
  }

  /** Reads a whole file into memory. Use it only for small files. */
  async read(entry: ZipEntry, maxBytes: number): Promise<Buffer> {
    if (entry.size > maxBytes) {
      throw new PackageRefused(`${entry.path}: The file is larger than ${inMegabytes(maxBytes)}.`)
    }
    const parts: Buffer[] = []
    await this.stream(entry, async (source) => {
      for await (const part of source) parts.push(part)
    })
    return Buffer.concat(parts)
  }

  /**
   * Passes the unpacked bytes to `use`, which must consume them. Refuses files that are damaged or differ from the
   * directory. The library only locates the data: its own streams crash the process if they are destroyed while they
   * wait.
   */
  async stream(entry: ZipEntry, use: (source: Readable) => Promise<unknown>): Promise<void> {
    const start = await this.startOfData(entry)
    const packed =
      entry.raw.compressedSize === 0
        ? Readable.from([])
        : createReadStream(this.file, { start, end: start + entry.raw.compressedSize - 1 })
    const checked = checksumOf(entry)
    const unpacking =
      entry.raw.compressionMethod === 0 ? pipeline(packed, checked) : pipeline(packed, createInflateRaw(), checked)
    const [unpacked, used] = await Promise.allSettled([unpacking, use(checked)])
    // The error that came first has the reason. The other one only reports a premature close.
    if (unpacked.status === 'rejected' && !isPartnerGone(unpacked.reason)) refuse(unpacked.reason, entry.path)
    if (used.status === 'rejected') throw used.reason
    if (unpacked.status === 'rejected') throw unpacked.reason
  }

  /**
   * Requires that the header before the data agrees with the directory; otherwise two programs could see two different
   * packages in one file.
   */
  private async startOfData({ path, raw }: ZipEntry): Promise<number> {
    const header = await this.zip.readLocalFileHeaderPromise(raw).catch((error) => refuse(error))
    const sizesFollow = (header.generalPurposeBitFlag & 0x8) !== 0
    const zip64 = header.compressedSize === 0xffffffff || header.uncompressedSize === 0xffffffff
    const sameSizes = header.compressedSize === raw.compressedSize && header.uncompressedSize === raw.uncompressedSize
    const same =
      header.fileName.equals(raw.fileNameRaw) &&
      header.compressionMethod === raw.compressionMethod &&
      (sizesFollow || zip64 || sameSizes)
    if (!same) throw new PackageRefused(`${path}: The zip file contradicts itself about this file. Make the zip again.`)
    return header.fileDataStart
  }
}

/** Opens the zip and checks its directory. Throws PackageRefused. */
export async function openPackageZip(file: string): Promise<PackageZip> {
  // Names are decoded and checked here instead of in the library, so that the reason is a sentence about the file.
  const zip = await openPromise(file, { autoClose: false, decodeStrings: false, strictFileNames: true }).catch(
    (error) => refuse(error),
  )
  try {
    return new PackageZip(file, zip, await readDirectory(zip))
  } catch (error) {
    zip.close()
    throw error
  }
}

async function readDirectory(zip: ZipFile): Promise<ZipEntry[]> {
  if (zip.entryCount > packageLimits.entries) {
    throw new PackageRefused(
      `The zip file contains ${zip.entryCount} entries. At most ${packageLimits.entries} are allowed.`,
    )
  }
  const entries: ZipEntry[] = []
  const names = new Names()
  let total = 0
  try {
    for await (const raw of zip.eachEntry()) {
      const path = pathOf(raw)
      checkEntry(path, raw)
      names.add(path)
      total += raw.uncompressedSize
      if (total > packageLimits.unpackedBytes) {
        throw new PackageRefused(
          `Unpacked, the files are larger than ${inMegabytes(packageLimits.unpackedBytes)} in all.`,
        )
      }
      if (!path.endsWith('/') && !isAddedByMacOs(path)) entries.push({ path, size: raw.uncompressedSize, raw })
    }
  } catch (error) {
    refuse(error)
  }
  refuseOverlaps(entries)
  return entries
}

/**
 * Refuses entries that share bytes, the trick by which a small zip unpacks to terabytes. Each entry takes at least its
 * header, name and data.
 */
function refuseOverlaps(entries: ZipEntry[]): void {
  const inOrder = [...entries].sort((a, b) => a.raw.relativeOffsetOfLocalHeader - b.raw.relativeOffsetOfLocalHeader)
  let end = 0
  for (const { path, raw } of inOrder) {
    if (raw.relativeOffsetOfLocalHeader < end) {
      throw new PackageRefused(`${path}: The zip file uses the same bytes for two files. Make the zip again.`)
    }
    end = raw.relativeOffsetOfLocalHeader + 30 + raw.fileNameLength + raw.compressedSize
  }
}

/** Matches files that macOS adds to every zip. */
function isAddedByMacOs(path: string): boolean {
  return path.startsWith('__MACOSX/')
}

function pathOf(raw: Entry): string {
  const name = getFileNameLowLevel(raw.generalPurposeBitFlag, raw.fileNameRaw, raw.extraFields, true)
  const path = name.normalize('NFC')
  const problem = problemOfPath(path)
  if (problem) throw new PackageRefused(`The zip file contains an entry named ${quote(name)}: ${problem}`)
  return path
}

function problemOfPath(path: string): string | null {
  if (path === '') return 'a name must not be empty.'
  if (path.includes('\\')) return 'folders are separated by / in a zip, not by a backslash.'
  if (path.startsWith('/') || /^[a-z]:/i.test(path))
    return 'a name must be relative, without a leading slash or drive letter.'
  const segments = path.replace(/\/$/, '').split('/')
  if (segments.includes('..')) return 'a name must not lead out of the package with “..”.'
  if (segments.includes('.') || segments.includes('')) return 'a name must not have empty parts.'
  if (/[\p{Cc}\p{Cs}\ufffd\u202a-\u202e\u2066-\u2069]/u.test(path)) {
    return 'a name must be readable text without control characters.'
  }
  const tooLong = path.length > packageLimits.pathLength
  if (tooLong || segments.some((segment) => Buffer.byteLength(segment) > packageLimits.pathSegmentBytes)) {
    return 'the name is too long.'
  }
  return null
}

const typeMask = 0o170000
const regularFile = 0o100000
const folder = 0o040000

function checkEntry(path: string, raw: Entry): void {
  const refuseEntry = (problem: string): never => {
    throw new PackageRefused(`${path}: ${problem}`)
  }
  const type = (raw.externalFileAttributes >>> 16) & typeMask
  if (type !== 0 && type !== regularFile && type !== folder) {
    refuseEntry('This is a link or a special file. A package contains only files and folders.')
  }
  if (path.endsWith('/') && raw.uncompressedSize > 0) refuseEntry('This is a folder with content.')
  if (raw.isEncrypted()) refuseEntry('The file is encrypted. Make the zip without a password.')
  if (raw.compressionMethod !== 0 && raw.compressionMethod !== 8) {
    refuseEntry(`The file is packed by method ${raw.compressionMethod}. Make the zip with the usual method (deflate).`)
  }
  if (raw.uncompressedSize > packageLimits.fileBytes) {
    refuseEntry(`The file is larger than ${inMegabytes(packageLimits.fileBytes)}.`)
  }
  const limit = raw.compressedSize * packageLimits.ratio
  if (raw.uncompressedSize > packageLimits.ratioFromBytes && raw.uncompressedSize > limit) {
    refuseEntry(
      `The file unpacks to more than ${packageLimits.ratio} times its packed size, which only harmful files do.`,
    )
  }
}

/** Refuses two entries that would be the same file, here or on a system that ignores case. */
class Names {
  private readonly files = new Map<string, string>()
  private readonly folders = new Map<string, string>()

  add(path: string): void {
    const isFolder = path.endsWith('/')
    const name = isFolder ? path.slice(0, -1) : path
    for (let end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1)) {
      this.addFolder(name.slice(0, end))
    }
    if (isFolder) {
      this.addFolder(name)
      return
    }
    const key = name.toLowerCase()
    const other = this.files.get(key) ?? this.folders.get(key)
    if (other !== undefined) throw sameName(other, name)
    this.files.set(key, name)
  }

  private addFolder(name: string): void {
    const key = name.toLowerCase()
    const other = this.files.get(key)
    if (other !== undefined) throw sameName(other, `${name}/`)
    this.folders.set(key, `${name}/`)
  }
}

function sameName(one: string, other: string): PackageRefused {
  return new PackageRefused(
    one === other
      ? `The zip file contains two entries named ${quote(one)}.`
      : `The zip file contains ${quote(one)} and ${quote(other)}, which some systems cannot tell apart.`,
  )
}

/** Passes the bytes through, and compares their number and checksum with the directory. */
function checksumOf(entry: ZipEntry): Transform {
  let sum = 0
  let size = 0
  return new Transform({
    transform(part: Buffer, _encoding, done) {
      size += part.length
      sum = crc32(part, sum)
      done(
        size > entry.size ? new PackageRefused(`${entry.path}: The file unpacks to more than the zip says.`) : null,
        part,
      )
    },
    flush(done) {
      const whole = size === entry.size && sum === entry.raw.crc32
      done(whole ? null : new PackageRefused(`${entry.path}: The file is damaged in the zip. Make the zip again.`))
    },
  })
}

function isPartnerGone(error: unknown): boolean {
  return (error as { code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE'
}

/**
 * Refuses the package for errors of the library and zlib. Rethrows errors of the file system, which are our own fault.
 */
function refuse(error: unknown, path?: string): never {
  if (error instanceof PackageRefused || typeof (error as { syscall?: unknown }).syscall === 'string') throw error
  const reason = (error as Error).message.replace(/[.\s]+$/, '')
  if (/^End of central directory/i.test(reason)) {
    throw new PackageRefused('The file is not a zip, or it is incomplete. Make the zip again.')
  }
  const what = path === undefined ? 'The zip file is damaged' : `${path}: The file is damaged in the zip`
  throw new PackageRefused(`${what} (${reason}). Make the zip again.`)
}
