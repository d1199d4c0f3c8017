/** Files from people: the bytes are in storage under their uid, and a row describes them. */
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
// Besides control characters, removes those that change the direction of writing: "gpj.exe" could look like "exe.jpg".
const unwanted = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/gu
const longestName = 255

/**
 * Stores the bytes, before any transaction. They belong to nothing until `createStoredFile` is called; if that does not
 * happen, call `discardFile`. The sweep deletes what a crash leaves behind.
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

/** Inserts the row of a received file, in the caller's transaction. */
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
      created_at: ctx.now,
    })
    .execute()
  return { uid: file.uid, name }
}

/**
 * Locks files of this site that content is about to refer to, so that the sweep cannot delete them before the transaction
 * ends. Throws Invalid if one of them is gone.
 */
export async function lockStoredFiles(ctx: Ctx, uids: string[]): Promise<void> {
  if (uids.length === 0) return
  const found = await ctx.db
    .selectFrom('stored_files')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .where('uid', 'in', uids)
    .forKeyShare()
    .execute()
  if (new Set(found.map(({ uid }) => uid)).size < new Set(uids).size) {
    throw new Invalid('One of the files is no longer there. Please upload it again.', {}, 'file.unknown')
  }
}

/** SQL for the id of a file of this site; null if there is no such file. */
export function fileIdOf(ctx: Ctx, uid: string | null): RawBuilder<number | null> {
  return sql`(select file.id from stored_files file where file.site_id = ${ctx.site.id} and file.uid = ${uid}::uuid)`
}

/** SQL for the uid of the picture that was made from an upload. `column` contains the id of the upload. */
export function pictureUidOf(column: string): RawBuilder<string | null> {
  return sql`(
    select image.uid from stored_files image where image.original_id = ${sql.ref(column)} order by image.id limit 1)`
}

/** Returns the last part of a path, without characters that are unsafe for browsers, headers or file systems. */
export function cleanFileName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? ''
  // \p{Cs} matches lone surrogates, which PostgreSQL refuses.
  const clean = last.replace(unwanted, '').normalize('NFC').trim()
  if (clean.length <= longestName) return clean || 'file'
  const extension = /\.[a-z0-9]{1,8}$/i.exec(clean)?.[0] ?? ''
  return `${clean
    .slice(0, longestName - extension.length)
    .replace(unwanted, '')
    .trim()}${extension}`
}
