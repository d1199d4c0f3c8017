/**
 * Recognizes films by their bytes, and reads their length. A film may be large, so only the headers of its parts are
 * read: MP4 consists of boxes (ISO 14496-12), WebM of elements (RFC 8794).
 */
import { type FileHandle, open } from 'node:fs/promises'
import { boxAt, lengthIn, mostSeconds } from './film-seconds.ts'

/** `seconds` is null if the file does not say. */
export type Film = { extension: '.mp4' | '.webm'; contentType: string; seconds: number | null }

/** No real film has so many parts before the one that names its length. */
const mostParts = 10_000

/** Null if the file is neither an MP4 nor a WebM film, or has no track. */
export async function readFilm(path: string): Promise<Film | null> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    return (await readMp4(handle, size)) ?? (await readWebm(handle, size))
  } finally {
    await handle.close()
  }
}

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/** The boxes that are entered, in the order in which they contain each other; all others are stepped over. */
const containers = ['moov', 'trak']

async function readMp4(handle: FileHandle, size: number): Promise<Film | null> {
  if ((await bytesAt(handle, 4, 4)).toString('latin1') !== 'ftyp') return null
  const found = new Set<string>()
  let seconds: number | null = null
  let position = 0
  for (let count = 0; count < mostParts && position + 16 <= size; count++) {
    const box = boxAt(await bytesAt(handle, position, 16))
    found.add(box.name)
    if (box.name === 'mvhd') seconds = lengthIn(await bytesAt(handle, position + box.header, 40))
    if (found.has('mvhd') && found.has('mdia')) break
    const isEntered = containers.includes(box.name)
    if (!isEntered && box.size < box.header) break
    position += isEntered ? box.header : box.size
  }
  // Without the media of a track there is nothing to play.
  const isFilm = [...containers, 'mdia'].every((name) => found.has(name))
  return isFilm ? { extension: '.mp4', contentType: 'video/mp4', seconds } : null
}

const ebml = 0x1a45dfa3
const segment = 0x18538067
const info = 0x1549a966
const timestampScale = 0x2ad7b1
const duration = 0x4489
const tracks = 0x1654ae6b
const trackEntry = 0xae

type Element = { id: number; start: number; end: number }

async function readWebm(handle: FileHandle, size: number): Promise<Film | null> {
  const head = await elementAt(handle, 0, size)
  if (head?.id !== ebml || head.end - head.start > 1000) return null
  if (!(await bytesAt(handle, head.start, head.end - head.start)).includes('webm')) return null
  const body = await elementAt(handle, head.end, size)
  if (body?.id !== segment) return null
  const list = await findElement(handle, body, tracks)
  if (!list || !(await findElement(handle, list, trackEntry))) return null
  return { extension: '.webm', contentType: 'video/webm', seconds: await webmSeconds(handle, body) }
}

async function webmSeconds(handle: FileHandle, body: Element): Promise<number | null> {
  const about = await findElement(handle, body, info)
  if (!about) return null
  const [scale, length] = [await findElement(handle, about, timestampScale), await findElement(handle, about, duration)]
  if (!length) return null
  const nanoseconds = scale ? unsigned(await contentOf(handle, scale)) : 1_000_000
  const ticks = float(await contentOf(handle, length))
  const seconds = (ticks * nanoseconds) / 1e9
  return seconds > 0 && seconds <= mostSeconds ? seconds : null
}

async function findElement(handle: FileHandle, parent: Element, id: number): Promise<Element | null> {
  let position = parent.start
  for (let count = 0; count < mostParts && position < parent.end; count++) {
    const element = await elementAt(handle, position, parent.end)
    if (!element || element.id === id) return element
    position = element.end
  }
  return null
}

/** Reads the header of an element; null if there is none. One of unknown size reaches to the end of its parent. */
async function elementAt(handle: FileHandle, position: number, end: number): Promise<Element | null> {
  const bytes = await bytesAt(handle, position, 12)
  const idLength = Math.clz32(bytes[0] ?? 0) - 23
  const sizeLength = Math.clz32(bytes[idLength] ?? 0) - 23
  if (idLength > 4 || sizeLength > 8 || bytes.length < idLength + sizeLength) return null
  const start = position + idLength + sizeLength
  const coded = bytes.subarray(idLength, idLength + sizeLength)
  const marker = 1 << (8 - sizeLength)
  const value = [(coded[0] ?? 0) - marker, ...coded.subarray(1)].reduce((sum, byte) => sum * 256 + byte, 0)
  const isUnknown = value === 2 ** (7 * sizeLength) - 1
  return { id: unsigned(bytes.subarray(0, idLength)), start, end: isUnknown ? end : Math.min(start + value, end) }
}

async function contentOf(handle: FileHandle, { start, end }: Element): Promise<Buffer> {
  return bytesAt(handle, start, Math.min(end - start, 8))
}

function unsigned(bytes: Uint8Array): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0)
}

function float(bytes: Buffer): number {
  if (bytes.length === 8) return bytes.readDoubleBE(0)
  return bytes.length === 4 ? bytes.readFloatBE(0) : 0
}
