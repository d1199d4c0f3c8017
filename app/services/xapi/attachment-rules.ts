import { createHash } from 'node:crypto'
import { Invalid } from '../errors.ts'
import type { Attachment, Statement } from './types.ts'

/**
 * Matches the bytes of a request to the attachments of its statements (xAPI 1.0.3 data 2.4.11, communication 1.5).
 * Pure.
 */

/** A part that a request contains besides its statements. */
export type AttachmentPart = { sha2: string; contentType: string | null; bytes: Buffer }

const algorithms: Record<number, string> = { 56: 'sha224', 64: 'sha256', 96: 'sha384', 128: 'sha512' }

/** Returns the attachments of a statement and of its SubStatement. */
export function attachmentsIn({ attachments = [], object }: Pick<Statement, 'attachments' | 'object'>): Attachment[] {
  const inner = object.objectType === 'SubStatement' ? (object.attachments ?? []) : []
  return [...attachments, ...inner]
}

/**
 * Returns the bytes by their SHA-2 in lower case, each once. Throws Invalid for bytes that no attachment asks for,
 * bytes that do not match their hash, and attachments with neither bytes nor `fileUrl`. Ignores the `length` of an
 * attachment: the hash proves more, no clause requires the check, and ADL's test suite sends a length that differs.
 */
export function matchParts(statements: Statement[], parts: AttachmentPart[]): Map<string, Buffer> {
  const wanted = wantedBy(statements)
  const given = new Map<string, Buffer>()
  for (const part of parts) {
    const sha2 = part.sha2.toLowerCase()
    const expected = wanted.get(sha2)
    if (!expected) throw refused(`A part has the sha2 ${sha2.slice(0, 128)}, which no attachment of a statement has`)
    requireHash(part.bytes, sha2)
    // Ignores parameters: "text/plain" in the header and "text/plain; charset=ascii" in the statement match, as in the
    // example in the specification.
    if (part.contentType !== null && !expected.types.has(essenceOf(part.contentType))) {
      throw refused(`The Content-Type of the part with the hash ${sha2} differs from that of its attachment`)
    }
    given.set(sha2, part.bytes)
  }
  for (const [sha2, { needsBytes }] of wanted) {
    if (needsBytes && !given.has(sha2)) {
      throw refused(`The attachment with the sha2 ${sha2} has neither a fileUrl nor a part with its bytes`)
    }
  }
  return given
}

type Wanted = { types: Set<string>; needsBytes: boolean }

/**
 * Collects what the attachments say about their bytes, by SHA-2. A request may contain a hundred thousand attachments,
 * so this takes a single pass.
 */
function wantedBy(statements: Statement[]): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>()
  for (const { sha2, contentType, fileUrl } of statements.flatMap(attachmentsIn)) {
    const key = sha2.toLowerCase()
    const expected = wanted.get(key) ?? { types: new Set(), needsBytes: false }
    expected.types.add(essenceOf(contentType))
    expected.needsBytes ||= fileUrl === undefined
    wanted.set(key, expected)
  }
  return wanted
}

function requireHash(bytes: Buffer, sha2: string): void {
  const algorithm = algorithms[sha2.length] as string
  const actual = createHash(algorithm).update(bytes).digest('hex')
  if (actual !== sha2) throw refused(`The bytes of the part with the hash ${sha2} have the hash ${actual}`)
}

export function essenceOf(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase()
}

function refused(problem: string): Invalid {
  return new Invalid(`${problem} (xAPI 1.5.2).`, {}, 'xapi.attachments')
}
