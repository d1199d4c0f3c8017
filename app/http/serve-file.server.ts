/**
 * Answers GET and HEAD for stored bytes, with single ranges and conditional requests. Package files and uploads share
 * it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { Storage } from '~/services/storage/storage.server.ts'

export type StoredBytes = { storageKey: string; size: number; etag: string; contentType: string; cacheControl: string }

/** The bytes under a storage key never change, and neither does `etag`. The caller sets security policies first. */
export async function serveBytes(
  req: IncomingMessage,
  res: ServerResponse,
  storage: Storage,
  file: StoredBytes,
): Promise<void> {
  const { etag, size } = file
  res.setHeader('ETag', etag)
  res.setHeader('Cache-Control', file.cacheControl)
  res.setHeader('Accept-Ranges', 'bytes')
  res.setHeader('Content-Type', file.contentType)
  if (matches(req.headers['if-none-match'], etag)) return end(res, 304)
  if (req.headers['if-match'] && !matches(req.headers['if-match'], etag)) return refuseFile(res, 412)

  const range = rangeOf(req, etag, size)
  if (range === 'unsatisfiable') return refuseFile(res, 416, { 'Content-Range': `bytes */${size}` })
  const { start, end: last } = range ?? { start: 0, end: size - 1 }
  if (range) res.setHeader('Content-Range', `bytes ${start}-${last}/${size}`)
  res.setHeader('Content-Length', last - start + 1)
  res.statusCode = range ? 206 : 200
  if (req.method === 'HEAD' || size === 0) return end(res, res.statusCode)
  await send(res, await storage.read(file.storageKey, { start, end: last }))
}

/** The same for a small text that is made for the answer. It has no ranges. */
export function serveText(
  req: IncomingMessage,
  res: ServerResponse,
  { text, etag, contentType, cacheControl }: Omit<StoredBytes, 'storageKey' | 'size'> & { text: string },
): void {
  res.setHeader('ETag', etag)
  res.setHeader('Cache-Control', cacheControl)
  res.setHeader('Content-Type', contentType)
  if (matches(req.headers['if-none-match'], etag)) {
    end(res, 304)
    return
  }
  res.setHeader('Content-Length', Buffer.byteLength(text))
  res.statusCode = 200
  res.end(req.method === 'HEAD' ? undefined : text)
}

export function refuseFile(res: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  for (const name of ['ETag', 'Accept-Ranges', 'Content-Length', 'Content-Disposition']) res.removeHeader(name)
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Content-Type', 'text/plain; charset=utf-8')
  res.statusCode = status
  res.end(status === 404 ? 'Not found\n' : '')
}

/** RFC 6266: a plain name for old clients, and the full one percent-encoded (RFC 5987). */
export function attachment(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(fileName).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** Weak comparison: our ETags are strong, but a proxy that compresses may have weakened the one that it sends back. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((part) => part.trim() === '*' || part.trim().replace(/^W\//, '') === etag)
}

/**
 * Null means the whole file: the request has no range, an unknown unit, several ranges, or a range of an older file.
 */
function rangeOf(
  req: IncomingMessage,
  etag: string,
  size: number,
): { start: number; end: number } | 'unsatisfiable' | null {
  const condition = req.headers['if-range']
  if (condition !== undefined && condition !== etag) return null
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(req.headers.range?.trim() ?? '')
  if (!match) return null
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return null
  // `bytes=-500` means the last 500 bytes.
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < start) return null
  return start < size && start <= end ? { start, end } : 'unsatisfiable'
}

async function send(res: ServerResponse, source: NodeJS.ReadableStream): Promise<void> {
  try {
    await pipeline(source, res)
  } catch (error) {
    // Leaving a page in the middle of a video is not an error.
    if ((error as { code?: string }).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

function end(res: ServerResponse, status: number): void {
  res.statusCode = status
  res.end()
}
