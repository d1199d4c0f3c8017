/** SQL of the uploads domain: uploads, joined with their stored files. Ids stay inside this file. */
import { sql } from 'kysely'
import type { UploadKind } from '~/forms/uploads.ts'
import { isSentToViewer } from '../access/announcements.server.ts'
import { actorOf, type Ctx } from '../context.ts'

export type StoredUpload = {
  uid: string
  originalFileName: string
  /** The stored name, with which inputs refer to the file. */
  name: string
  size: number
  contentType: string
}

export type UploadRow = { uid: string; kind: UploadKind; fileName: string; expiresAt: Date; file: StoredUpload | null }

export async function insertUpload(
  ctx: Ctx,
  upload: { kind: UploadKind; fileName: string; expiresAt: Date },
): Promise<{ uid: string }> {
  return await ctx.db
    .insertInto('uploads')
    .values({
      site_id: ctx.site.id,
      kind: upload.kind,
      file_name: upload.fileName,
      created_by: ctx.viewer?.id ?? null,
      expires_at: upload.expiresAt,
    })
    .returning('uid')
    .executeTakeFirstOrThrow()
}

/** Finds an upload of the site by any creator, because a post is permitted by its signature. */
export async function findUpload(ctx: Ctx, uid: string): Promise<UploadRow | undefined> {
  const row = await selectUploads(ctx).where('uploads.uid', '=', uid).executeTakeFirst()
  return row && toUpload(row)
}

export async function findOwnUpload(ctx: Ctx, uid: string): Promise<UploadRow | undefined> {
  const row = await selectUploads(ctx).where('uploads.uid', '=', uid).where(isOwn(ctx)).executeTakeFirst()
  return row && toUpload(row)
}

/**
 * Locks an upload, so that nobody else completes it before the transaction ends. Returns undefined if it no longer
 * exists.
 */
export async function lockUpload(ctx: Ctx, uid: string): Promise<UploadRow | undefined> {
  await ctx.db.selectFrom('uploads').select('id').where('uid', '=', uid).forUpdate().execute()
  return findUpload(ctx, uid)
}

export async function setCompleted(ctx: Ctx, uploadUid: string, fileUid: string): Promise<void> {
  await ctx.db
    .updateTable('uploads')
    .set((eb) => ({
      completed_at: ctx.now,
      stored_file_id: eb.selectFrom('stored_files').select('id').where('uid', '=', fileUid),
    }))
    .where('uid', '=', uploadUid)
    .execute()
}

/** SQL condition: the viewer's own uploads. Uploads of the operator have no creator. */
function isOwn(ctx: Ctx) {
  const actor = actorOf(ctx)
  if (actor === null) return sql<boolean>`false`
  return sql<boolean>`uploads.created_by is not distinct from ${actor === 'operator' ? null : actor.id}::bigint`
}

/**
 * Finds completed uploads by the viewer or operator, or with `isFromHistory` by anybody. Locks the files, so that the
 * sweep cannot delete them before the transaction ends.
 */
export async function findUploadedFiles(
  ctx: Ctx,
  names: string[],
  { isFromHistory = false }: { isFromHistory?: boolean } = {},
): Promise<(StoredUpload & { kind: string })[]> {
  if (names.length === 0) return []
  return await ctx.db
    .selectFrom('stored_files')
    .innerJoin('uploads', 'uploads.stored_file_id', 'stored_files.id')
    .select([...fileColumns, 'stored_files.kind'])
    .where('stored_files.name', 'in', names)
    .where('stored_files.site_id', '=', ctx.site.id)
    .$if(!isFromHistory, (query) => query.where(isOwn(ctx)))
    .forKeyShare('stored_files')
    .execute()
}

export type ServedFile = {
  uid: string
  kind: string
  originalFileName: string
  contentType: string
  size: number
  storageKey: string
  createdBy: number | null
  isDerivative: boolean
  /** True for the attachment of a message that was sent to the viewer's dashboard. */
  isSentToViewer: boolean
}

export async function findServedFile(
  ctx: Ctx,
  by: { name: string } | { uid: string },
): Promise<ServedFile | undefined> {
  const query = ctx.db
    .selectFrom('stored_files')
    .select([
      'uid',
      'kind',
      'original_file_name as originalFileName',
      'content_type as contentType',
      'size',
      'storage_key as storageKey',
      'created_by as createdBy',
      sql<boolean>`original_id is not null`.as('isDerivative'),
      sql<boolean>`exists (
        select from announcements a join announcement_recipients r on r.announcement_id = a.id
        where a.attachment_file_id = stored_files.id and ${isSentToViewer(ctx)})`.as('isSentToViewer'),
    ])
    .where('site_id', '=', ctx.site.id)
  return await ('name' in by ? query.where('name', '=', by.name) : query.where('uid', '=', by.uid)).executeTakeFirst()
}

/** Deletes uploads that were never completed, and uploads whose file no longer exists. */
export async function deleteStaleUploads(ctx: Pick<Ctx, 'db'>, before: Date): Promise<number> {
  const result = await ctx.db
    .deleteFrom('uploads')
    .where('created_at', '<', before)
    .where('stored_file_id', 'is', null)
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}

const fileColumns = [
  'stored_files.uid',
  'stored_files.original_file_name as originalFileName',
  'stored_files.name',
  'stored_files.size',
  'stored_files.content_type as contentType',
] as const

function selectUploads(ctx: Ctx) {
  return ctx.db
    .selectFrom('uploads')
    .leftJoin('stored_files', 'stored_files.id', 'uploads.stored_file_id')
    .select([
      'uploads.uid as uploadUid',
      'uploads.kind',
      'uploads.file_name as fileName',
      'uploads.expires_at as expiresAt',
      ...fileColumns,
    ])
    .where('uploads.site_id', '=', ctx.site.id)
}

type Row = Awaited<ReturnType<ReturnType<typeof selectUploads>['execute']>>[number]

function toUpload({ uploadUid, kind, fileName, expiresAt, ...file }: Row): UploadRow {
  const { uid, originalFileName, name, size, contentType } = file
  return {
    uid: uploadUid,
    kind: kind as UploadKind,
    fileName,
    expiresAt,
    file:
      uid === null
        ? null
        : {
            uid,
            originalFileName: originalFileName ?? '',
            name: name ?? '',
            size: size ?? 0,
            contentType: contentType ?? '',
          },
  }
}
