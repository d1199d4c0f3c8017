/** Who may upload and fetch what, as pure predicates. */
import type { UploadKind } from '~/forms/uploads.ts'
import { isAdmin, isStaff, type Viewer } from '../context.ts'

type OfSite = { id: number }

/** Authors make content; messages and invitations are the admins'. */
export function canUpload(viewer: Viewer | null, site: OfSite, kind: UploadKind): boolean {
  if (viewer?.siteId !== site.id) return false
  return kind === 'cmi5_zip' || kind === 'cover_img' ? isStaff(viewer) : isAdmin(viewer)
}

/**
 * The original is for its uploader and for those who might have uploaded it; what others see is a derivative. An attachment is for those
 * to whom it was sent, too.
 */
export function canFetch(
  viewer: Viewer | null,
  site: OfSite,
  file: { kind: string; createdBy: number | null; isSentToViewer: boolean },
): boolean {
  if (viewer?.siteId !== site.id) return false
  if (file.createdBy === viewer.id) return true
  if (file.kind === 'attachment' && file.isSentToViewer) return true
  return ['cmi5_zip', 'cover_img', 'captions'].includes(file.kind) ? isStaff(viewer) : isAdmin(viewer)
}
