/**
 * Reads the length of an MP4 film from its header, without keeping the film: a file consists of boxes with a size and a
 * name, and the length is in `mvhd`, in the box `moov`, which may stand before or after the pictures.
 */

/** Longer films are a mistake of their header. */
export const mostSeconds = 24 * 60 * 60
/** The longest part that is needed at once: the header of a box, and `mvhd` up to its length. */
const mostBytes = 48

/** Reads the source to its end. Returns null if it names no length. */
export async function readFilmSeconds(source: AsyncIterable<Buffer>): Promise<number | null> {
  let seconds: number | null = null
  let isDone = false
  let skip = 0
  let kept: Buffer = Buffer.alloc(0)
  for await (const part of source) {
    if (isDone) continue
    let bytes = kept.length > 0 ? Buffer.concat([kept, part]) : part
    for (;;) {
      const skipped = Math.min(skip, bytes.length)
      skip -= skipped
      bytes = bytes.subarray(skipped)
      if (skip > 0 || bytes.length < mostBytes) break
      const box = boxAt(bytes)
      if (box.name === 'mvhd') seconds = lengthIn(bytes.subarray(box.header))
      isDone = box.name === 'mvhd' || box.size < box.header
      if (isDone) break
      // What is in `moov` is read box by box; all other boxes are skipped.
      skip = box.name === 'moov' ? box.header : box.size
    }
    kept = Buffer.from(bytes)
  }
  return seconds
}

/** Reads the header of a box: at least 16 bytes. */
export function boxAt(bytes: Buffer): { name: string; size: number; header: number } {
  const size = bytes.readUInt32BE(0)
  const name = bytes.toString('latin1', 4, 8)
  return size === 1 ? { name, size: Number(bytes.readBigUInt64BE(8)), header: 16 } : { name, size, header: 8 }
}

/** Returns the seconds in the content of `mvhd`; null if it is cut off. Version 1 has times of 64 bits. */
export function lengthIn(box: Buffer): number | null {
  if (box.length < (box[0] === 1 ? 32 : 20)) return null
  const [scale, length] =
    box[0] === 1
      ? [box.readUInt32BE(20), Number(box.readBigUInt64BE(24))]
      : [box.readUInt32BE(12), box.readUInt32BE(16)]
  const seconds = scale > 0 ? length / scale : 0
  return seconds > 0 && seconds <= mostSeconds ? seconds : null
}
