/** Covers of content. The picture that others see is made before the transaction that attaches the upload. */
import type { Ctx } from '../context.ts'
import { NotFound } from '../errors.ts'
import { createDerivative, type Derivative, makeCover } from '../storage/images.server.ts'
import { getUploadedFile } from './uploads.server.ts'

const kind = 'cover_img'

/**
 * `field` is the form's field that holds the name of the file. A course has a banner too, with the same rules.
 * `isFromHistory`: the content had this file before, so it may be somebody else's upload.
 */
type CoverInput = { name: string; field?: 'coverImg' | 'bannerImg'; isFromHistory?: boolean }

/** Makes the picture of an uploaded cover. This takes a while, so call it without holding locks. */
export async function prepareCover(
  ctx: Ctx,
  { name, field = 'coverImg', isFromHistory }: CoverInput,
): Promise<Derivative> {
  const { uid } = await getUploadedFile(ctx, { name, kind, field, isFromHistory })
  return makeCover(ctx, { fileUid: uid })
}

/** Records a prepared picture in the transaction that attaches the cover, and returns the uid of the upload. */
export async function recordCover(
  ctx: Ctx,
  { name, prepared, field = 'coverImg', isFromHistory }: CoverInput & { prepared: Derivative | null },
): Promise<string> {
  // Looking it up again protects the file from the sweep.
  const { uid } = await getUploadedFile(ctx, { name, kind, field, isFromHistory })
  if (prepared?.originalUid !== uid) throw new NotFound()
  await createDerivative(ctx, prepared)
  return uid
}
