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

/** Null if the file is neither an MP4 nor a WebM film, is cut off, or has nothing to play. */
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

type Box = { name: string; start: number; end: number }

async function readMp4(handle: FileHandle, size: number): Promise<Film | null> {
  if ((await bytesAt(handle, 4, 4)).toString('latin1') !== 'ftyp') return null
  const boxes = await boxesIn(handle, 0, size)
  const movie = boxes?.find(({ name }) => name === 'moov')
  // Without the media of a track and their bytes there is nothing to play.
  if (!movie || !boxes?.some(({ name }) => name === 'mdat')) return null
  const parts = await boxesIn(handle, movie.start, movie.end)
  const track = parts?.find(({ name }) => name === 'trak')
  const inside = track && (await boxesIn(handle, track.start, track.end))
  if (!inside?.some(({ name }) => name === 'mdia')) return null
  const header = parts?.find(({ name }) => name === 'mvhd')
  const seconds = header ? lengthIn(await bytesAt(handle, header.start, Math.min(40, header.end - header.start))) : null
  return { extension: '.mp4', contentType: 'video/mp4', seconds }
}

/** Lists the boxes between two positions. Null if one has an impossible size or is cut off. */
async function boxesIn(handle: FileHandle, from: number, to: number): Promise<Box[] | null> {
  const boxes: Box[] = []
  let position = from
  // Fewer bytes than a header are padding.
  while (position + 8 <= to && boxes.length < mostParts) {
    const bytes = Buffer.concat([await bytesAt(handle, position, Math.min(16, to - position)), Buffer.alloc(8)])
    const { name, size, header } = boxAt(bytes)
    // A box of size 0 reaches to the end.
    const end = size === 0 ? to : position + size
    if (end < position + header || end > to) return null
    boxes.push({ name, start: position + header, end })
    position = end
  }
  return boxes
}

const ebml = 0x1a45dfa3
const segment = 0x18538067
const info = 0x1549a966
const timestampScale = 0x2ad7b1
const duration = 0x4489
const tracks = 0x1654ae6b
const trackEntry = 0xae
const cluster = 0x1f43b675

/** `isCut`: it is longer than what contains it. */
type Element = { id: number; start: number; end: number; isCut: boolean }

async function readWebm(handle: FileHandle, size: number): Promise<Film | null> {
  const head = await elementAt(handle, 0, size)
  if (head?.id !== ebml || head.end - head.start > 1000) return null
  if (!(await bytesAt(handle, head.start, head.end - head.start)).includes('webm')) return null
  const body = await elementAt(handle, head.end, size)
  if (body?.id !== segment || body.isCut) return null
  const list = await findElement(handle, body, tracks)
  // Pictures and sounds are in clusters.
  if (!list || !(await findElement(handle, body, cluster))) return null
  if (!(await findElement(handle, list, trackEntry))) return null
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
    if (!element || element.isCut) return null
    if (element.id === id) return element
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
  const isCut = !isUnknown && start + value > end
  return {
    id: unsigned(bytes.subarray(0, idLength)),
    start,
    end: isUnknown ? end : Math.min(start + value, end),
    isCut,
  }
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
