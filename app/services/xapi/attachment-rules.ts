import { createHash } from 'node:crypto'
import { Invalid } from '../errors.ts'
import type { Attachment, Statement } from './types.ts'

/** Which bytes belong to which attachments of a request (xAPI 1.0.3 data 2.4.11, communication 1.5). Pure. */

/** What a request brought beside its statements. */
export type AttachmentPart = { sha2: string; contentType: string | null; bytes: Buffer }

const algorithms: Record<number, string> = { 56: 'sha224', 64: 'sha256', 96: 'sha384', 128: 'sha512' }

/** Of the statement and of what it holds as a SubStatement. */
export function attachmentsIn({ attachments = [], object }: Pick<Statement, 'attachments' | 'object'>): Attachment[] {
  const inner = object.objectType === 'SubStatement' ? (object.attachments ?? []) : []
  return [...attachments, ...inner]
}

/**
 * The bytes by their SHA-2 in lower case, each once. Refused are bytes that no attachment asks for, bytes that are not
 * what their hash says, and attachments with neither bytes nor `fileUrl`. The `length` of an attachment is not held
 * against its bytes: the hash says more, no clause asks for it, and ADL's suite sends one that differs.
 */
export function matchParts(statements: Statement[], parts: AttachmentPart[]): Map<string, Buffer> {
  const wanted = wantedBy(statements)
  const given = new Map<string, Buffer>()
  for (const part of parts) {
    const sha2 = part.sha2.toLowerCase()
    const asked = wanted.get(sha2)
    if (!asked) throw refused(`No attachment of a statement has the sha2 ${sha2.slice(0, 128)} of a part`)
    requireHash(part.bytes, sha2)
    // "text/plain" as a header and "text/plain; charset=ascii" as a property are one type, as in the text's own example.
    if (part.contentType !== null && !asked.types.has(essenceOf(part.contentType))) {
      throw refused(`The part with the hash ${sha2} has another Content-Type than its attachment`)
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

/** What attachments say of their bytes, by SHA-2; one request may have a hundred thousand of them. */
function wantedBy(statements: Statement[]): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>()
  for (const { sha2, contentType, fileUrl } of statements.flatMap(attachmentsIn)) {
    const key = sha2.toLowerCase()
    const asked = wanted.get(key) ?? { types: new Set(), needsBytes: false }
    asked.types.add(essenceOf(contentType))
    asked.needsBytes ||= fileUrl === undefined
    wanted.set(key, asked)
  }
  return wanted
}

function requireHash(bytes: Buffer, sha2: string): void {
  const algorithm = algorithms[sha2.length] as string
  const actual = createHash(algorithm).update(bytes).digest('hex')
  if (actual !== sha2) throw refused(`The part with the hash ${sha2} has bytes with the hash ${actual}`)
}

export function essenceOf(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase()
}

function refused(problem: string): Invalid {
  return new Invalid(`${problem} (xAPI 1.5.2).`, {}, 'xapi.attachments')
}
