import { Readable } from 'node:stream'
import sharp from 'sharp'
import type { Ctx } from '~/services/context.ts'
import { receiveUpload, type StoredUpload } from '~/services/uploads/uploads.server.ts'
import { packageZip } from './packages.ts'

let shade = 0

/** A picture that differs from all earlier ones. */
export async function aPicture(format: 'png' | 'jpeg' = 'png'): Promise<Buffer> {
  shade = (shade + 17) % 256
  return sharp({ create: { width: 140, height: 79, channels: 3, background: { r: shade, g: 90, b: 160 } } })
    .toFormat(format)
    .toBuffer()
}

/** An uploaded cover, with the name that forms and programs send. */
export async function aCover(ctx: Ctx, fileName = 'cover.png'): Promise<StoredUpload> {
  return receiveUpload(ctx, { kind: 'cover_img', fileName, source: Readable.from([await aPicture()]) })
}

/** An uploaded package; a valid one unless other bytes are given. */
export function aZip(ctx: Ctx, bytes: Buffer = packageZip(), fileName = 'module.zip'): Promise<StoredUpload> {
  return receiveUpload(ctx, { kind: 'cmi5_zip', fileName, source: Readable.from([bytes]) })
}
