/** Who may upload and fetch which files. Pure. */
import type { UploadKind } from '~/forms/uploads.ts'
import { actsAsAdmin, actsAsStaff, type Ctx } from '../context.ts'

type Acting = Pick<Ctx, 'viewer' | 'isOperator' | 'site'>

/** Authors upload content. Only admins upload for messages and invitations. */
export function canUpload(ctx: Acting, kind: UploadKind): boolean {
  return isOfContent(kind) ? actsAsStaff(ctx) : actsAsAdmin(ctx)
}

/**
 * Tells whether the viewer may fetch an original: its uploader, people who could have uploaded it, and the recipients
 * of a message with this attachment. Everybody else sees only its derivative.
 */
export function canFetch(
  ctx: Acting,
  file: { kind: string; createdBy: number | null; isSentToViewer: boolean },
): boolean {
  const { viewer, site } = ctx
  if (viewer?.siteId === site.id && file.createdBy === viewer.id) return true
  if (viewer?.siteId === site.id && file.kind === 'attachment' && file.isSentToViewer) return true
  return isOfContent(file.kind) ? actsAsStaff(ctx) : actsAsAdmin(ctx)
}

function isOfContent(kind: string): boolean {
  return ['cmi5_zip', 'cover_img', 'video', 'captions', 'transcript'].includes(kind)
}
