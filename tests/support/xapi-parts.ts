import { createHash } from 'node:crypto'
import type { Answered, Sent } from './xapi.ts'

/** Writes and reads requests and answers with statements and attachments, independently of the product's own code. */
export type SentPart = { headers: Record<string, string>; body: Buffer | string }

export const sha2 = (bytes: Buffer | string, algorithm = 'sha256') => createHash(algorithm).update(bytes).digest('hex')

export function anAttachment(bytes: Buffer | string, more: object = {}) {
  return {
    usageType: 'https://usages.example/essay',
    display: { en: 'An essay' },
    contentType: 'text/plain',
    length: Buffer.byteLength(bytes),
    sha2: sha2(bytes),
    ...more,
  }
}

export function aPart(bytes: Buffer | string, headers: Record<string, string | undefined> = {}): SentPart {
  const all = {
    'Content-Type': 'text/plain',
    'Content-Transfer-Encoding': 'binary',
    'X-Experience-API-Hash': sha2(bytes),
    ...headers,
  }
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { headers: Object.fromEntries(given), body: bytes }
}

/** The options of a request with these statements and parts. */
export function mixed(
  statements: unknown,
  parts: SentPart[],
  { boundary = 'limit-0', first = 'application/json' } = {},
): Sent {
  const whole = [{ headers: { 'Content-Type': first }, body: JSON.stringify(statements) }, ...parts]
  const chunks = whole.flatMap(({ headers, body }) => [
    Buffer.from(`--${boundary}\r\n`),
    Buffer.from(
      `${Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)}`.replaceAll('\r\n,', '\r\n'),
    ),
    Buffer.from('\r\n'),
    Buffer.from(body),
    Buffer.from('\r\n'),
  ])
  const body = Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)])
  return { body, headers: { 'content-type': `multipart/mixed; boundary=${boundary}` } }
}

export function partsOf({ headers, bytes }: Answered): { headers: string; body: Buffer }[] {
  const boundary = /^multipart\/mixed; boundary=(\S+)$/.exec(String(headers['content-type']))?.[1]
  if (!boundary) throw new Error(`No boundary in ${headers['content-type']}`)
  const text = bytes.toString('latin1')
  if (!text.endsWith(`\r\n--${boundary}--\r\n`)) throw new Error('The answer has no closing boundary')
  return `\r\n${text}`
    .split(`\r\n--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const end = part.indexOf('\r\n\r\n')
      return { headers: part.slice(2, end), body: Buffer.from(part.slice(end + 4), 'latin1') }
    })
}
