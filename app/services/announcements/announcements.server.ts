/**
 * Announcements: messages that admins send to learners. This file has what a learner does with messages on their own
 * dashboard (L-115). Learners see a message only if it was sent to them, on a site that has announcements. The first
 * opening and the first click are recorded and stay. Pinning sets a state instead of toggling it.
 */
import { itemsPerPage } from '~/lib/list-page.ts'
import { isStorable } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { NotFound } from '../errors.ts'
import { limitsOfPage } from '../paging.ts'
import {
  type AnnouncementRow,
  countOwn,
  findLink,
  findNeighbours,
  findOwn,
  type Neighbour,
  selectPage,
  setOpened,
  setPinned,
} from './queries.server.ts'

export type OwnAnnouncement = AnnouncementRow

/** Lists pinned messages first, the last pinned on top, then the newest. */
export async function listOwnAnnouncements(
  ctx: Ctx,
  input: { page?: number } = {},
): Promise<{ items: OwnAnnouncement[]; total: number }> {
  requireViewer(ctx)
  const limits = limitsOfPage({ page: input.page ?? 1, size: itemsPerPage })
  const [items, total] = await Promise.all([selectPage(ctx, limits), countOwn(ctx)])
  return { items, total }
}

export async function getOwnAnnouncement(ctx: Ctx, input: { uid: string }): Promise<OwnAnnouncement> {
  requireViewer(ctx)
  const announcement = isUid(input.uid) ? await findOwn(ctx, input.uid) : undefined
  if (!announcement) throw new NotFound()
  return announcement
}

/** Finds the neighbors in the order of the list, pinned ones first. */
export async function findAnnouncementNeighbours(
  ctx: Ctx,
  input: { uid: string },
): Promise<{ previous: Neighbour | null; next: Neighbour | null }> {
  requireViewer(ctx)
  const found = isUid(input.uid) ? await findNeighbours(ctx, input.uid) : undefined
  return found ?? { previous: null, next: null }
}

/** Records the first opening with a single SQL statement. Call it after the response. */
export async function markOpened(ctx: Ctx, input: { uid: string }): Promise<void> {
  requireViewer(ctx, 'write')
  if (isUid(input.uid)) await setOpened(ctx, input.uid, { isClick: false })
}

export async function markAnnouncementRead(ctx: Ctx, input: { uid: string }): Promise<OwnAnnouncement> {
  await markOpened(ctx, input)
  return getOwnAnnouncement(ctx, input)
}

export async function pinAnnouncement(ctx: Ctx, input: { uid: string; isPinned: boolean }): Promise<OwnAnnouncement> {
  requireViewer(ctx, 'write')
  if (isUid(input.uid)) await setPinned(ctx, input.uid, input.isPinned)
  return getOwnAnnouncement(ctx, input)
}

type LinkInput = {
  uid: string
  /** The link's token, or its address as in the message. */
  link: string
}

/** Returns the address of a link in the viewer's own message. Only links stored when the message was sent are found. */
export async function getAnnouncementLink(ctx: Ctx, input: LinkInput): Promise<{ url: string }> {
  requireViewer(ctx)
  const isSound = isUid(input.uid) && isStorable(input.link)
  const link = isSound ? await findLink(ctx, input.uid, input.link) : undefined
  if (!link) throw new NotFound()
  return link
}

/**
 * Records a click, which is also an opening, with a single SQL statement. Use it for links that `getAnnouncementLink`
 * has found.
 */
export async function markClicked(ctx: Ctx, input: { uid: string }): Promise<void> {
  requireViewer(ctx, 'write')
  if (isUid(input.uid)) await setOpened(ctx, input.uid, { isClick: true })
}

export async function recordAnnouncementClick(ctx: Ctx, input: LinkInput): Promise<OwnAnnouncement> {
  await getAnnouncementLink(ctx, input)
  await markClicked(ctx, input)
  return getOwnAnnouncement(ctx, input)
}
