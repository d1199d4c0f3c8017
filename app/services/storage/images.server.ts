/**
 * Pictures that others see. They are re-encoded from an upload, which removes metadata and anything else hidden in its
 * bytes. They belong to their original and are deleted with it.
 */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { damagedPicture } from '~/forms/uploads.ts'
import { isUid } from '~/lib/uid.ts'
import type { Ctx } from '../context.ts'
import { Invalid, NotFound } from '../errors.ts'
import { storage } from './storage.server.ts'

export type ImageFormat = 'png' | 'jpeg' | 'gif' | 'webp'

/** `isNew` means that its bytes are stored but its row is not. */
export type Derivative = {
  uid: string
  originalUid: string
  width: number
  height: number
  size: number
  sha256: Buffer
  isNew: boolean
}

/** A picture of this many pixels takes 160 MB while it is decoded. A small file can claim many more. */
const maxPixels = 40_000_000
const maxWidth = 1400
/** WebP allows at most 16,383 px. */
const maxHeight = 4 * maxWidth
const decoding = { limitInputPixels: maxPixels, failOn: 'error' } as const

// Pictures come one at a time. By default libvips would cache 50 MB of them and use a thread per core.
sharp.cache(false)
sharp.concurrency(1)

/** Decodes the whole picture, so that a truncated picture is found now and not when it is shown. */
export async function readsAsImage(bytes: Buffer, format: ImageFormat): Promise<boolean> {
  try {
    const picture = sharp(bytes, decoding)
    const { format: actual, pages = 1 } = await picture.metadata()
    if (actual !== format || pages > 1000) return false
    await picture.resize(32, 32, { fit: 'inside', fastShrinkOnLoad: false }).raw().toBuffer()
    return true
  } catch {
    return false
  }
}

/**
 * Makes the picture for others from an uploaded cover: WebP, at most 1400 by 5600 px, upright, without metadata. Call it
 * before the transaction in which `createDerivative` inserts its row. Returns the existing picture if there is one.
 */
export async function makeCover(ctx: Ctx, input: { fileUid: string }): Promise<Derivative> {
  const original = isUid(input.fileUid) ? await findOriginal(ctx, input.fileUid) : undefined
  if (!original) throw new NotFound()
  const known = await findDerivative(ctx, input.fileUid)
  if (known) return known
  const path = await storage().localPath(original.storageKey)
  const { data, info } = await sharp(path, decoding)
    .autoOrient()
    .resize({ width: maxWidth, height: maxHeight, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 82 })
    .toBuffer({ resolveWithObject: true })
    .catch((error: Error) => {
      // Errors of the disk or memory, not of the picture; a retry may fix them.
      if (/missing|no such file|memory|no space|too many open/i.test(error.message)) throw error
      ctx.log.warn({ err: error, fileUid: input.fileUid }, 'picture could not be re-encoded')
      throw new Invalid(damagedPicture, {}, 'file.invalid_type')
    })
  const uid = randomUUID()
  const written = await storage().write(uid, Readable.from([data]), { maxBytes: data.length })
  const { width, height } = info
  return { uid, originalUid: input.fileUid, width, height, ...written, isNew: true }
}

/**
 * Inserts the row of a derivative, in the caller's transaction. Returns the existing one if another request was faster.
 */
export async function createDerivative(ctx: Ctx, derivative: Derivative): Promise<{ uid: string }> {
  const { originalUid } = derivative
  // Locks the original, so that two simultaneous requests insert one row.
  const original = await ctx.db
    .selectFrom('stored_files')
    .select(['id', 'kind', 'original_file_name as originalFileName'])
    .where('uid', '=', originalUid)
    .where('site_id', '=', ctx.site.id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!original) throw new NotFound()
  const known = await findDerivative(ctx, originalUid)
  if (known) return { uid: known.uid }
  await ctx.db
    .insertInto('stored_files')
    .values({
      uid: derivative.uid,
      site_id: ctx.site.id,
      kind: original.kind,
      original_file_name: original.originalFileName,
      name: `${derivative.uid}.webp`,
      size: derivative.size,
      content_type: 'image/webp',
      sha256: derivative.sha256,
      storage_key: derivative.uid,
      width: derivative.width,
      height: derivative.height,
      original_id: original.id,
      created_by: ctx.viewer?.id ?? null,
    })
    .execute()
  return { uid: derivative.uid }
}

async function findOriginal(ctx: Ctx, uid: string): Promise<{ storageKey: string } | undefined> {
  return await ctx.db
    .selectFrom('stored_files')
    .select('storage_key as storageKey')
    .where('uid', '=', uid)
    .where('site_id', '=', ctx.site.id)
    .where('kind', 'in', ['cover_img', 'announcement_img'])
    .where('original_id', 'is', null)
    .executeTakeFirst()
}

async function findDerivative(ctx: Ctx, originalUid: string): Promise<Derivative | undefined> {
  const row = await ctx.db
    .selectFrom('stored_files as derivative')
    .innerJoin('stored_files as original', 'original.id', 'derivative.original_id')
    .select(['derivative.uid', 'derivative.width', 'derivative.height', 'derivative.size', 'derivative.sha256'])
    .where('original.uid', '=', originalUid)
    .where('original.site_id', '=', ctx.site.id)
    .orderBy('derivative.id')
    .limit(1)
    .executeTakeFirst()
  return row && { ...row, originalUid, width: row.width ?? 0, height: row.height ?? 0, isNew: false }
}
