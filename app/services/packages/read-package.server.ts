/** Turns received bytes into a checked structure and unpacked files. Does not use the database. */
import type { LangText } from '~/lib/language.ts'
import type { Storage } from '../storage/storage.server.ts'
import { inMegabytes, PackageRefused, packageLimits, quote } from './limits.ts'
import { contentOfZip, type PackageContent } from './package-text.server.ts'
import { type CourseStructure, checkStructure, noticesOf } from './structure.ts'
import { PackageFiles } from './urls.ts'
import { readCourseStructure } from './xml.server.ts'
import { openPackageZip, type PackageZip, type ZipEntry } from './zip.server.ts'

const structureFile = 'cmi5.xml'
const filesAtOnce = 8

/** `text` is the text of its pages. `notices` are for its author and do not prevent its use. */
export type ParsedPackage = PackageContent & {
  structure: CourseStructure
  entryCount: number
  size: number
  notices: string[]
}

/** Reads a package. Throws PackageRefused for faults of the package; any other error is our own fault. */
export async function readPackage(
  files: Storage,
  input: { zipKey: string; fileName: string; prefix: string },
): Promise<ParsedPackage> {
  const kind = await kindOf(files, input.zipKey)
  if (kind === 'xml') return readBareXml(files, input)
  const zip = await openPackageZip(await files.localPath(input.zipKey))
  try {
    return await readZip(files, zip, input.prefix)
  } finally {
    zip.close()
  }
}

/** What a bare XML file holds, whose units are elsewhere. */
export const noContent: PackageContent = { text: '', minutes: 0 }

/** Returns the text of a package that was parsed before texts and estimates were stored, and how long it takes. */
export async function readPackageContent(files: Storage, input: { zipKey: string }): Promise<PackageContent> {
  if ((await kindOf(files, input.zipKey)) === 'xml') return noContent
  const zip = await openPackageZip(await files.localPath(input.zipKey))
  try {
    return await contentOfZip(zip)
  } finally {
    zip.close()
  }
}

/** Returns the title of the course. Throws PackageRefused for a file that no package can be read from. */
export async function readPackageTitle(files: Storage, input: { zipKey: string }): Promise<LangText> {
  if ((await kindOf(files, input.zipKey)) === 'xml') {
    return (await readBareStructure(files, { ...input, fileName: structureFile })).course.title
  }
  const zip = await openPackageZip(await files.localPath(input.zipKey))
  try {
    const bytes = await zip.read(findStructureFile(zip.entries), packageLimits.structureBytes)
    return (await readCourseStructure(bytes, structureFile)).course.title
  } finally {
    zip.close()
  }
}

/** Detects the kind of file from its bytes, because names and declared types are often wrong. */
async function kindOf(files: Storage, key: string): Promise<'zip' | 'xml'> {
  const start = await collect(await files.read(key, { start: 0, end: 255 }))
  if (start.length === 0) throw new PackageRefused('The file is empty.')
  // The header of a file, or the end record of an empty zip.
  if (['504b0304', '504b0506'].includes(start.subarray(0, 4).toString('hex'))) return 'zip'
  const text = start.toString('latin1').replace(/^(\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
  if (/^[\s\0]*</.test(text)) return 'xml'
  throw new PackageRefused(
    'The file is neither a zip nor an XML file. A cmi5 package is a zip with cmi5.xml in it, or a cmi5.xml.',
  )
}

async function readBareXml(files: Storage, input: { zipKey: string; fileName: string }): Promise<ParsedPackage> {
  const structure = await readBareStructure(files, input)
  refuseProblems(checkStructure(structure, null, input.fileName))
  return { structure, entryCount: 0, size: 0, ...noContent, notices: noticesOf(structure, input.fileName) }
}

async function readBareStructure(
  files: Storage,
  input: { zipKey: string; fileName: string },
): Promise<CourseStructure> {
  const size = (await files.stat(input.zipKey))?.size ?? 0
  if (size > packageLimits.structureBytes) {
    throw new PackageRefused(`${input.fileName}: The file is larger than ${inMegabytes(packageLimits.structureBytes)}.`)
  }
  return readCourseStructure(await collect(await files.read(input.zipKey)), input.fileName)
}

async function readZip(files: Storage, zip: PackageZip, prefix: string): Promise<ParsedPackage> {
  const bytes = await zip.read(findStructureFile(zip.entries), packageLimits.structureBytes)
  const structure = await readCourseStructure(bytes, structureFile)
  const paths = new PackageFiles(zip.entries.map((entry) => entry.path))
  refuseProblems(checkStructure(structure, paths, structureFile))
  await forEachOf(zip.entries, filesAtOnce, (entry) =>
    zip.stream(entry, (source) => files.write(`${prefix}${entry.path}`, source, { maxBytes: packageLimits.fileBytes })),
  )
  const size = zip.entries.reduce((sum, entry) => sum + entry.size, 0)
  const notices = noticesOf(structure, structureFile)
  return { structure, entryCount: zip.entries.length, size, ...(await contentOfZip(zip)), notices }
}

function findStructureFile(entries: ZipEntry[]): ZipEntry {
  const found = entries.find((entry) => entry.path === structureFile)
  if (found) return found
  const paths = entries.map((entry) => entry.path)
  const missing = 'There is no cmi5.xml at the root of the zip.'
  const otherCase = paths.find((path) => path.toLowerCase() === structureFile)
  if (otherCase) throw new PackageRefused(`${missing} There is ${quote(otherCase)}: the name must be in lower case.`)
  const nested = paths
    .filter((path) => path.toLowerCase().endsWith(`/${structureFile}`))
    .sort((a, b) => a.length - b.length)[0]
  if (nested) {
    const folder = nested.slice(0, nested.lastIndexOf('/'))
    throw new PackageRefused(
      `${missing} It is in the folder ${quote(folder)}: zip what is in that folder, not the folder itself.`,
    )
  }
  const otherStandard = otherStandards.find(([file]) => paths.includes(file))
  if (otherStandard)
    throw new PackageRefused(`${missing} This looks like a package for ${otherStandard[1]}. Export it as cmi5.`)
  throw new PackageRefused(missing)
}

const otherStandards: [file: string, standard: string][] = [
  ['imsmanifest.xml', 'SCORM'],
  ['tincan.xml', 'xAPI (Tin Can)'],
]

function refuseProblems(problems: string[]): void {
  if (problems.length > 0) throw new PackageRefused(problems)
}

async function collect(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of source) parts.push(part)
  return Buffer.concat(parts)
}

/** Runs `work` for all items, a few at a time. After a failure, starts nothing new and waits for what is running. */
async function forEachOf<T>(items: T[], atOnce: number, work: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = items.values()
  let failed = false
  const lane = async () => {
    for (const item of waiting) {
      if (failed) return
      try {
        await work(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const lanes = await Promise.allSettled(Array.from({ length: atOnce }, lane))
  const failure = lanes.find((result) => result.status === 'rejected')
  if (failure) throw failure.reason
}
