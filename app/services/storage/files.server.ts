/** Files that people gave us: the bytes under their uid in storage, and a row that says what they are. */
import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { type RawBuilder, sql } from 'kysely'
import { extensionOf, type UploadKind } from '~/forms/uploads.ts'
import type { Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'
import { FileTooLarge, storage } from './storage.server.ts'

export type ReceivedFile = {
  uid: string
  kind: UploadKind
  originalFileName: string
  contentType: string
  size: number
  sha256: Buffer
}

const megabyte = 1024 * 1024
// Beside control characters those that turn the direction of writing: "gpj.exe" could read as "exe.jpg".
const unwanted = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/gu
const longestName = 255

/**
 * Takes in the bytes, before any transaction. They belong to nothing until `createStoredFile`; if that does not come to pass,
 * call `discardFile`, and what a crash leaves is swept by age.
 */
export async function receiveFile(
  source: Readable,
  file: { kind: UploadKind; fileName: string; contentType: string; maxBytes: number },
): Promise<ReceivedFile> {
  const uid = randomUUID()
  try {
    const written = await storage().write(uid, source, { maxBytes: file.maxBytes })
    const originalFileName = cleanFileName(file.fileName)
    return { uid, kind: file.kind, originalFileName, contentType: file.contentType, ...written }
  } catch (error) {
    if (!(error instanceof FileTooLarge)) throw error
    throw new Invalid(`The file is larger than ${Math.floor(file.maxBytes / megabyte)} MB.`, {}, 'file.too_large')
  }
}

export async function discardFile(file: ReceivedFile): Promise<void> {
  await storage().delete(file.uid)
}

/** Inserts the row, in the caller's transaction. */
export async function createStoredFile(ctx: Ctx, file: ReceivedFile): Promise<{ uid: string; name: string }> {
  const name = `${file.uid}${extensionOf(file.originalFileName)}`
  await ctx.db
    .insertInto('stored_files')
    .values({
      uid: file.uid,
      site_id: ctx.site.id,
      kind: file.kind,
      original_file_name: file.originalFileName,
      name,
      size: file.size,
      content_type: file.contentType,
      sha256: file.sha256,
      storage_key: file.uid,
      created_by: ctx.viewer?.id ?? null,
    })
    .execute()
  return { uid: file.uid, name }
}

/** A file of the site as the value of a column that refers to it; null where there is none of this uid. */
export function fileIdOf(ctx: Ctx, uid: string | null): RawBuilder<number | null> {
  return sql`(select file.id from stored_files file where file.site_id = ${ctx.site.id} and file.uid = ${uid}::uuid)`
}

/** The picture for others that was made of an upload, of which the query has the id in this column. */
export function pictureUidOf(column: string): RawBuilder<string | null> {
  return sql`(
    select image.uid from stored_files image where image.original_id = ${sql.ref(column)} order by image.id limit 1)`
}

/** The last part of a path, without what a browser, a header or a file system could trip over. */
export function cleanFileName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? ''
  // Cs are surrogates without their other half, which PostgreSQL would refuse.
  const clean = last.replace(unwanted, '').normalize('NFC').trim()
  if (clean.length <= longestName) return clean || 'file'
  const extension = /\.[a-z0-9]{1,8}$/i.exec(clean)?.[0] ?? ''
  return `${clean
    .slice(0, longestName - extension.length)
    .replace(unwanted, '')
    .trim()}${extension}`
}
