/**
 * Reads and writes `multipart/mixed`, which carries statements with their attachments (RFC 2046 5.1, xAPI 1.0.3
 * communication 1.5.2).
 */
import { randomUUID } from 'node:crypto'
import { Invalid } from '~/services/errors.ts'
import { type AttachmentFile, type AttachmentPart, maxBatch } from '~/services/xapi/xapi.server.ts'
import type { Answer } from './answer.server.ts'

type Part = { headers: Map<string, string>; body: Buffer }

const crlf = Buffer.from('\r\n')
const blankLine = Buffer.from('\r\n\r\n')
const maxParts = maxBatch + 1
const maxHeaderBytes = 8_000

export function isMixed(contentType: string): boolean {
  return /^multipart\/mixed\s*(;|$)/i.test(contentType)
}

/** Returns the statements, as the bytes of their JSON, and their attachments. */
export function readMixed(body: Buffer, contentType: string): { json: Buffer; attachments: AttachmentPart[] } {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw refused('The Content-Type multipart/mixed names no boundary')
  const [first, ...others] = partsOf(body, boundary)
  if (!first || !/^application\/json\s*(;|$)/i.test(first.headers.get('content-type') ?? '')) {
    throw refused('The first part must hold the statements as application/json')
  }
  return { json: first.body, attachments: others.map(attachmentOf) }
}

function attachmentOf({ headers, body }: Part, index: number): AttachmentPart {
  const what = `Part ${index + 2}`
  const sha2 = headers.get('x-experience-api-hash')
  if (!sha2) throw refused(`${what} has no X-Experience-API-Hash`)
  if (headers.get('content-transfer-encoding')?.toLowerCase() !== 'binary') {
    throw refused(`${what} has no Content-Transfer-Encoding with the value binary`)
  }
  const length = headers.get('content-length')
  if (length !== undefined && Number(length) !== body.length) {
    throw refused(`${what} has ${body.length} bytes, and a Content-Length of ${length}`)
  }
  return { sha2, contentType: headers.get('content-type') ?? null, bytes: body }
}

/**
 * Splits a body at its boundaries. Ignores text before the first and after the last one (RFC 2046 5.1.1). The parts
 * share the body's memory.
 */
function partsOf(body: Buffer, boundary: string): Part[] {
  const parts: Part[] = []
  let delimiter = findDelimiter(body, boundary, 0)
  while (delimiter && !delimiter.isLast) {
    if (parts.length === maxParts) throw refused(`The request has more than ${maxParts} parts`)
    // Starts at the end of the delimiter's line, so that a part without a body is found too.
    const next = findDelimiter(body, boundary, delimiter.end - crlf.length)
    if (!next) break
    parts.push(partOf(body.subarray(delimiter.end, Math.max(delimiter.end, next.start))))
    delimiter = next
  }
  if (!delimiter?.isLast) throw refused('The body does not use and end with the boundary of the Content-Type')
  return parts
}

type Delimiter = { start: number; end: number; isLast: boolean }

function findDelimiter(body: Buffer, boundary: string, from: number): Delimiter | null {
  const line = Buffer.from(`--${boundary}`)
  for (let at = body.indexOf(line, from); at !== -1; at = body.indexOf(line, at + 1)) {
    const isAtLineStart = at === 0 || (at >= 2 && body[at - 2] === 0x0d && body[at - 1] === 0x0a)
    if (!isAtLineStart) continue
    let end = at + line.length
    const start = at === 0 ? 0 : at - crlf.length
    if (body[end] === 0x2d && body[end + 1] === 0x2d) return { start, end: end + 2, isLast: true }
    while (body[end] === 0x20 || body[end] === 0x09) end++
    if (body[end] === 0x0d && body[end + 1] === 0x0a) return { start, end: end + crlf.length, isLast: false }
  }
  return null
}

function partOf(bytes: Buffer): Part {
  if (bytes.subarray(0, crlf.length).equals(crlf)) return { headers: new Map(), body: bytes.subarray(crlf.length) }
  const end = bytes.indexOf(blankLine)
  if (end === -1 || end > maxHeaderBytes) throw refused('A part has no headers that end with a blank line')
  const headers = new Map<string, string>()
  const lines = bytes
    .subarray(0, end)
    .toString('latin1')
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  for (const line of lines) {
    const [, name, value = ''] = /^([!-9;-~]+)[ \t]*:(.*)$/.exec(line) ?? []
    if (name === undefined) throw refused('A part has an invalid header')
    if (headers.has(name.toLowerCase())) throw refused(`A part has the header ${name} twice`)
    headers.set(name.toLowerCase(), value.trim())
  }
  return { headers, body: bytes.subarray(end + blankLine.length) }
}

function refused(problem: string): Invalid {
  return new Invalid(`${problem} (xAPI 1.5.2).`, {}, 'xapi.multipart')
}

/** Sends each attachment once, reading it from storage while sending. */
export function mixedAnswer(json: string, files: AttachmentFile[], headers: Record<string, string>): Answer {
  // The boundary is random, so that nobody can store an attachment that contains it.
  const boundary = `titrate-${randomUUID()}`
  const beginning = `--${boundary}\r\nContent-Type: application/json\r\n\r\n${json}\r\n`
  const parts = files.map((file) => ({
    file,
    head: `--${boundary}\r\nContent-Type: ${file.contentType}\r\nContent-Transfer-Encoding: binary\r\nX-Experience-API-Hash: ${file.sha2}\r\n\r\n`,
  }))
  const end = `--${boundary}--\r\n`
  const length =
    parts.reduce((sum, { file, head }) => sum + Buffer.byteLength(head) + file.size + crlf.length, 0) +
    Buffer.byteLength(beginning) +
    Buffer.byteLength(end)
  async function* content() {
    yield Buffer.from(beginning)
    for (const { file, head } of parts) {
      yield Buffer.from(head)
      yield* (await file.open()) as AsyncIterable<Buffer>
      yield crlf
    }
    yield Buffer.from(end)
  }
  return {
    status: 200,
    headers: {
      ...headers,
      'Content-Type': `multipart/mixed; boundary=${boundary}`,
      'Content-Length': String(length),
    },
    body: content,
  }
}
