/**
 * Announcements: messages that admins send to learners. Here is what a learner does with those on the own dashboard (spec, L-115;
 * decisions, learner Q-43). A message is somebody's own once it was sent, to that person, on a site that has announcements; all else
 * is not there. Opened and clicked are said once and stay; a pin is absolute.
 */
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

export const announcementsOfPage = 20

/** Pinned ones first, the last pinned on top; then the newest. */
export async function listOwnAnnouncements(
  ctx: Ctx,
  input: { page?: number } = {},
): Promise<{ items: OwnAnnouncement[]; total: number }> {
  requireViewer(ctx)
  const limits = limitsOfPage({ page: input.page ?? 1, size: announcementsOfPage })
  const [items, total] = await Promise.all([selectPage(ctx, limits), countOwn(ctx)])
  return { items, total }
}

export async function getOwnAnnouncement(ctx: Ctx, input: { uid: string }): Promise<OwnAnnouncement> {
  requireViewer(ctx)
  const announcement = isUid(input.uid) ? await findOwn(ctx, input.uid) : undefined
  if (!announcement) throw new NotFound()
  return announcement
}

/** As the list has them: pinned ones first. */
export async function findAnnouncementNeighbours(
  ctx: Ctx,
  input: { uid: string },
): Promise<{ previous: Neighbour | null; next: Neighbour | null }> {
  requireViewer(ctx)
  const found = isUid(input.uid) ? await findNeighbours(ctx, input.uid) : undefined
  return found ?? { previous: null, next: null }
}

/** The first opening counts; one statement, to be made after the page was sent. */
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
  /** Its token, or the address as the message has it. */
  link: string
}

/** Where a link of an own message leads: only to what was stored when it was sent. */
export async function getAnnouncementLink(ctx: Ctx, input: LinkInput): Promise<{ url: string }> {
  requireViewer(ctx)
  const isSound = isUid(input.uid) && isStorable(input.link)
  const link = isSound ? await findLink(ctx, input.uid, input.link) : undefined
  if (!link) throw new NotFound()
  return link
}

/** Who has clicked has opened. For a link that `getAnnouncementLink` has found; one statement. */
export async function markClicked(ctx: Ctx, input: { uid: string }): Promise<void> {
  requireViewer(ctx, 'write')
  if (isUid(input.uid)) await setOpened(ctx, input.uid, { isClick: true })
}

export async function recordAnnouncementClick(ctx: Ctx, input: LinkInput): Promise<OwnAnnouncement> {
  await getAnnouncementLink(ctx, input)
  await markClicked(ctx, input)
  return getOwnAnnouncement(ctx, input)
}
