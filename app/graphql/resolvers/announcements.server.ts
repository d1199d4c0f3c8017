import { fileAddress } from '~/lib/file-address.ts'
import { pageNumber } from '~/lib/table-query.ts'
import {
  listOwnAnnouncements,
  markAnnouncementRead,
  type OwnAnnouncement,
  pinAnnouncement,
  recordAnnouncementClick,
} from '~/services/announcements/announcements.server.ts'
import type { GraphqlContext } from '../context.ts'

export const announcementResolvers = {
  User: {
    announcements: async (user: { isOwn?: boolean }, input: { page: number }, { ctx }: GraphqlContext) => {
      if (!user.isOwn || !ctx.viewer) return null
      const { items, total } = await listOwnAnnouncements(ctx, { page: pageNumber(String(input.page)) })
      return { items, totalCount: total }
    },
  },
  Mutation: {
    markAnnouncementRead: async (_: unknown, input: { uid: string }, { ctx }: GraphqlContext) => ({
      announcement: await markAnnouncementRead(ctx, input),
    }),
    pinAnnouncement: async (_: unknown, input: { uid: string; pinned: boolean }, { ctx }: GraphqlContext) => ({
      announcement: await pinAnnouncement(ctx, { uid: input.uid, isPinned: input.pinned }),
    }),
    recordAnnouncementClick: async (_: unknown, input: { uid: string; link: string }, { ctx }: GraphqlContext) => ({
      announcement: await recordAnnouncementClick(ctx, input),
    }),
  },
  OwnAnnouncement: {
    fromField: ({ from }: OwnAnnouncement) => from,
    sentTs: ({ sentAt }: OwnAnnouncement) => sentAt,
    openedTs: ({ openedAt }: OwnAnnouncement) => openedAt,
    pinnedTs: ({ pinnedAt }: OwnAnnouncement) => pinnedAt,
    attachment: ({ attachment }: OwnAnnouncement, _: unknown, { ctx }: GraphqlContext) =>
      attachment && { ...attachment, url: `${ctx.site.baseUrl}${fileAddress(attachment.name)}` },
    links: ({ links }: OwnAnnouncement) => links.map(({ url }) => url),
  },
}
