/** Builds packages byte by byte, for tests of every kind: valid ones, and ones that are wrong in exactly one way. */
import { crc32, deflateRawSync } from 'node:zlib'

export const cmi5Namespace = 'https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd'

export type UnitParts = {
  id?: string
  url?: string
  attributes?: string
  title?: string
  description?: string
  /** Elements between description and url. */
  objectives?: string
  /** Elements after url. */
  rest?: string
}

export function auXml(unit: UnitParts = {}): string {
  return `<au id="${unit.id ?? 'https://example.org/au/1'}" ${unit.attributes ?? ''}>
    ${texts(unit.title ?? 'Unit', unit.description ?? 'A unit')}
    ${unit.objectives ?? ''}
    <url>${unit.url ?? 'index.html'}</url>
    ${unit.rest ?? ''}
  </au>`
}

export function blockXml(id: string, content: string): string {
  return `<block id="${id}">${texts('Block', 'A block')}${content}</block>`
}

export function objectiveXml(id: string): string {
  return `<objective id="${id}">${texts('Objective', 'An objective')}</objective>`
}

export function texts(title: string, description: string): string {
  const langstring = (text: string) => `<langstring lang="en">${text}</langstring>`
  return `<title>${langstring(title)}</title><description>${langstring(description)}</description>`
}

/** A course structure around `content`, by default one unit at index.html. */
export function courseXml(
  content = auXml(),
  parts: { id?: string; head?: string; objectives?: string; namespace?: string; course?: string } = {},
): string {
  return `${parts.head ?? '<?xml version="1.0" encoding="utf-8"?>\n'}<courseStructure xmlns="${parts.namespace ?? cmi5Namespace}">
  ${parts.course ?? `<course id="${parts.id ?? 'https://example.org/course'}">${texts('Course', 'A course')}</course>`}
  ${parts.objectives ? `<objectives>${parts.objectives}</objectives>` : ''}${content}
</courseStructure>`
}

export type ZipPart = {
  name: string | Buffer
  data?: string | Buffer
  /** 0 stored, 8 deflated (default). */
  method?: number
  flags?: number
  /** Unix mode with file type, such as 0o120777 for a symbolic link. */
  mode?: number
  /** False values for the entry's headers: `local` before the data, `central` in the directory. */
  local?: Partial<Claims>
  central?: Partial<Claims>
  /** Points to the data of an earlier part instead of writing its own. */
  sharedWith?: number
}

type Claims = { name: Buffer; crc: number; packed: number; size: number; method: number }

/** Writes a zip byte by byte, so that its headers can be false. */
export function zipBytes(parts: ZipPart[], options: { entryCount?: number; comment?: string } = {}): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  const offsets: number[] = []
  let offset = 0
  for (const part of parts) {
    const data = Buffer.from(part.data ?? '')
    const method = part.method ?? 8
    const packed = method === 8 ? deflateRawSync(data) : data
    const truth: Claims = {
      name: Buffer.from(part.name),
      crc: crc32(data),
      packed: packed.length,
      size: data.length,
      method,
    }
    const flags = part.flags ?? 0x800
    const shared = part.sharedWith === undefined ? undefined : offsets[part.sharedWith]
    centrals.push(centralHeader({ ...truth, ...part.central }, flags, part.mode ?? 0o100644, shared ?? offset))
    offsets.push(shared ?? offset)
    if (shared !== undefined) continue
    const local = Buffer.concat([localHeader({ ...truth, ...part.local }, flags), packed])
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(centrals)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(options.entryCount ?? parts.length, 8)
  end.writeUInt16LE(options.entryCount ?? parts.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  const comment = Buffer.from(options.comment ?? '')
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([...locals, directory, end, comment])
}

function localHeader(claims: Claims, flags: number): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(flags, 6)
  header.writeUInt16LE(claims.method, 8)
  header.writeUInt32LE(claims.crc, 14)
  header.writeUInt32LE(claims.packed, 18)
  header.writeUInt32LE(claims.size, 22)
  header.writeUInt16LE(claims.name.length, 26)
  return Buffer.concat([header, claims.name])
}

function centralHeader(claims: Claims, flags: number, mode: number, offset: number): Buffer {
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE((3 << 8) | 20, 4)
  header.writeUInt16LE(20, 6)
  header.writeUInt16LE(flags, 8)
  header.writeUInt16LE(claims.method, 10)
  header.writeUInt32LE(claims.crc, 16)
  header.writeUInt32LE(claims.packed, 20)
  header.writeUInt32LE(claims.size, 24)
  header.writeUInt16LE(claims.name.length, 28)
  header.writeUInt32LE((mode << 16) >>> 0, 38)
  header.writeUInt32LE(offset, 42)
  return Buffer.concat([header, claims.name])
}

/** A valid package: by default one unit at index.html. */
export function packageZip(xml: string | Buffer = courseXml(), files: Record<string, string | Buffer> = {}): Buffer {
  const contents: Record<string, string | Buffer> = {
    'cmi5.xml': xml,
    'index.html': '<!doctype html><title>Unit</title>',
    ...files,
  }
  return zipBytes(Object.entries(contents).map(([name, data]) => ({ name, data })))
}
