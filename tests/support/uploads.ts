import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { afterAll } from 'vitest'
import type { Ctx } from '~/services/context.ts'
import { diskStorage } from '~/services/storage/disk.server.ts'
import { setStorage } from '~/services/storage/storage.server.ts'
import {
  completeUpload,
  type PreparedUpload,
  prepareUpload,
  receivePost,
  type StoredUpload,
} from '~/services/uploads/uploads.server.ts'

/** Storage in a folder for this test file; returns the folder. */
export function ownStorage(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'titrate-test-files-'))
  setStorage(diskStorage(folder))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function aPicture(format: 'png' | 'jpeg' | 'gif' | 'webp' = 'png', width = 64, height = 36): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#0b6b69' } })
    .toFormat(format)
    .toBuffer()
}

/** A valid PNG of exactly this size: bytes after its end are not part of the picture. */
export async function aPictureOf(bytes: number): Promise<Buffer> {
  const picture = await aPicture()
  return Buffer.concat([picture, randomBytes(bytes - picture.length)])
}

export function from(bytes: Buffer | string): Readable {
  return Readable.from([Buffer.from(bytes)])
}

export async function post(ctx: Ctx, prepared: PreparedUpload, bytes: Buffer | string): Promise<void> {
  await receivePost({ ...ctx, viewer: null }, { uploadUid: prepared.id, fields: prepared.fields, source: from(bytes) })
}

/** Runs all three steps of an upload. */
export async function upload(
  ctx: Ctx,
  fileType: string,
  fileName: string,
  bytes: Buffer | string,
): Promise<StoredUpload> {
  const prepared = await prepareUpload(ctx, { fileName, fileType })
  await post(ctx, prepared, bytes)
  return completeUpload(ctx, { fileId: prepared.id })
}
