/** Detects what a file really is from its bytes, because names and declared types may be wrong. */
import { readFile } from 'node:fs/promises'
import {
  damagedPicture,
  extensionOf,
  invalidFileType,
  type UploadKind,
  wrongFilm,
  wrongPicture,
  wrongText,
} from '~/forms/uploads.ts'
import { faultInWords, readCues } from '~/lib/webvtt.ts'
import { Invalid } from '../errors.ts'
import { readFilm } from '../storage/film-file.server.ts'
import { type ImageFormat, readsAsImage } from '../storage/images.server.ts'

type Check = { contentType: string; holds: (bytes: Buffer) => boolean | Promise<boolean> }

const checks: Record<string, Check> = {
  '.png': image('png'),
  '.jpg': image('jpeg'),
  '.jpeg': image('jpeg'),
  '.gif': image('gif'),
  '.webp': image('webp'),
  '.vtt': { contentType: 'text/vtt; charset=utf-8', holds: isCaptions },
  // Spreadsheets also write UTF-16, which begins with a mark (lib/csv-import.server.ts).
  '.csv': {
    contentType: 'text/csv; charset=utf-8',
    holds: (bytes) => startsWith(bytes, '\xff\xfe') || startsWith(bytes, '\xfe\xff') || requireText(bytes),
  },
  '.txt': { contentType: 'text/plain; charset=utf-8', holds: requireText },
  '.pdf': { contentType: 'application/pdf', holds: (bytes) => startsWith(bytes, '%PDF-') },
  '.zip': { contentType: 'application/zip', holds: isZip },
}

/**
 * Returns the content type of a file. Throws Invalid if its bytes do not match its name. Packages are checked by the
 * job that reads them, which reports what is wrong and where.
 */
export async function contentTypeOf(kind: UploadKind, fileName: string, path: string): Promise<string> {
  const extension = extensionOf(fileName)
  if (kind === 'cmi5_zip') return extension === '.xml' ? 'application/xml' : 'application/zip'
  if (kind === 'video') {
    const film = await readFilm(path)
    if (film?.extension !== extension) throw new Invalid(wrongFilm, {}, 'file.invalid_type')
    return film.contentType
  }
  const check = checks[extension]
  if (!check) throw new Invalid(invalidFileType, {}, 'file.invalid_type')
  // All other kinds are at most 1 MB.
  if (!(await check.holds(await readFile(path)))) throw new Invalid(invalidFileType, {}, 'file.invalid_type')
  return check.contentType
}

const signatures: Record<ImageFormat, (bytes: Buffer) => boolean> = {
  png: (bytes) => startsWith(bytes, '\x89PNG\r\n\x1a\n'),
  jpeg: (bytes) => startsWith(bytes, '\xff\xd8\xff'),
  gif: (bytes) => startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a'),
  webp: (bytes) => startsWith(bytes, 'RIFF') && bytes.toString('latin1', 8, 12) === 'WEBP',
}

/** Checks the signature first, so that only the decoder of this format sees the bytes. */
function image(format: ImageFormat): Check {
  const holds = async (bytes: Buffer) => {
    if (!signatures[format](bytes)) throw new Invalid(wrongPicture, {}, 'file.invalid_type')
    if (await readsAsImage(bytes, format)) return true
    throw new Invalid(damagedPicture, {}, 'file.damaged')
  }
  return { contentType: `image/${format}`, holds }
}

function startsWith(bytes: Buffer, signature: string): boolean {
  return bytes.toString('latin1', 0, signature.length) === signature
}

/** Tells whether the bytes begin like a zip and have the end record of its directory near the end. */
function isZip(bytes: Buffer): boolean {
  if (!startsWith(bytes, 'PK\x03\x04') && !startsWith(bytes, 'PK\x05\x06')) return false
  return bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1') >= Math.max(0, bytes.length - 65_557)
}

/** Tells whether the bytes contain no control characters except line breaks and tabs. */
function isText(bytes: Buffer): boolean {
  return bytes.every((byte) => byte >= 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0c || byte === 0x0d)
}

/** Throws Invalid for bytes that are no text; else true. */
function requireText(bytes: Buffer): boolean {
  if (!isText(bytes)) throw new Invalid(wrongText, {}, 'file.invalid_type')
  return true
}

/** Throws Invalid with the line that cannot be read, since authors write such files by hand. */
function isCaptions(bytes: Buffer): boolean {
  const read = isText(bytes) ? readCues(utf8Of(bytes)) : null
  if (read && 'fault' in read) throw new Invalid(faultInWords(read.fault), {}, 'file.invalid_captions')
  return read !== null
}

function utf8Of(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Invalid('This file is not in UTF-8. Please save it again with this encoding.', {}, 'file.encoding')
  }
}
