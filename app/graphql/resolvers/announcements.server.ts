import type { GraphQLResolveInfo } from 'graphql'
import type { RecipientStep } from '~/forms/recipients.ts'
import { fileAddress } from '~/lib/file-address.ts'
import { pageNumber } from '~/lib/table-query.ts'
import {
  listOwnAnnouncements,
  markAnnouncementRead,
  type OwnAnnouncement,
  pinAnnouncement,
  recordAnnouncementClick,
} from '~/services/announcements/announcements.server.ts'
import { deleteAnnouncement } from '~/services/announcements/delete-announcement.server.ts'
import {
  createAnnouncement,
  type MessageInput,
  updateAnnouncement,
} from '~/services/announcements/save-announcement.server.ts'
import {
  type Announcement,
  countAnnouncements,
  getAnnouncement,
  getAnnouncementStatistics,
  listAnnouncements,
  listRecipientUids,
} from '~/services/announcements/table.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Invalid, NotFound } from '~/services/errors.ts'
import { connection, type PageArguments } from '../connection.ts'
import type { GraphqlContext } from '../context.ts'
import { uidForRequest } from '../idempotency.ts'
import { fromGlobalId, toGlobalId } from '../ids.ts'

type AnnouncementNode = Announcement & { __typename: 'Announcement'; recipientUids: () => Promise<string[]> }

/** The recipients of all messages of an answer are read together, if anybody asks for them. */
function announcementNodes(ctx: Ctx, announcements: Announcement[]): AnnouncementNode[] {
  let read: ReturnType<typeof listRecipientUids> | undefined
  const uids = announcements.map(({ uid }) => uid)
  return announcements.map((announcement) => ({
    ...announcement,
    __typename: 'Announcement',
    recipientUids: async () => {
      read ??= listRecipientUids(ctx, uids)
      return (await read).get(announcement.uid) ?? []
    },
  }))
}

export function announcementNode(ctx: Ctx, announcement: Announcement): AnnouncementNode {
  const [node] = announcementNodes(ctx, [announcement])
  if (!node) throw new NotFound()
  return node
}

type AnnouncementInput = {
  name?: string
  subject?: string
  text?: string
  fromField?: string | null
  attachment?: string | null
  deliveryType?: string | null
  recipientsInfo?: {
    recipients?: string[] | null
    selectedUserUids?: string[] | null
    filters?: unknown
  } | null
  sendAfterSave?: boolean | null
}

/** What is null is not given, except for a file, which null removes. The given recipients replace the others. */
function inputOf({
  fromField,
  deliveryType,
  recipientsInfo,
  sendAfterSave,
  ...values
}: AnnouncementInput): MessageInput {
  const { recipients, selectedUserUids, filters } = recipientsInfo ?? {}
  const steps: RecipientStep[] | undefined = recipients
    ? [{ kind: 'clear' }, ...(recipients.length > 0 ? [{ kind: 'add' as const, uids: recipients }] : [])]
    : undefined
  return {
    name: values.name ?? undefined,
    subject: values.subject ?? undefined,
    text: values.text ?? undefined,
    attachment: values.attachment,
    from: fromField ?? undefined,
    deliveryType: deliveryType ?? undefined,
    recipients: steps,
    selectedUserUids: selectedUserUids ?? undefined,
    filters: filters ?? undefined,
    ...(sendAfterSave && { send: { when: 'now' } }),
  }
}

function announcementUidOf(id: string): string {
  const key = fromGlobalId(id)
  if (key?.type !== 'Announcement') throw new NotFound()
  return key.uid
}

async function payloadOf(ctx: Ctx, uid: string) {
  return { announcement: announcementNode(ctx, await getAnnouncement(ctx, { announcementUid: uid })) }
}

export const announcementResolvers = {
  User: {
    announcements: async (user: { isOwn?: boolean }, input: { page: number }, { ctx }: GraphqlContext) => {
      if (!user.isOwn || !ctx.viewer) return null
      const { items, total } = await listOwnAnnouncements(ctx, { page: pageNumber(String(input.page)) })
      return { items, totalCount: total }
    },
  },
  Query: {
    announcements: async (_: unknown, { first, after }: PageArguments, { ctx }: GraphqlContext) => {
      const { items, ...page } = await listAnnouncements(ctx, { first, after })
      return connection({ items: announcementNodes(ctx, items), ...page }, () => countAnnouncements(ctx))
    },
  },
  Mutation: {
    createAnnouncement: async (
      _: unknown,
      input: AnnouncementInput,
      context: GraphqlContext,
      info: GraphQLResolveInfo,
    ) => {
      const { ctx } = context
      const { uid } = await createAnnouncement(ctx, { ...inputOf(input), uid: uidForRequest(context, info) })
      return payloadOf(ctx, uid)
    },
    updateAnnouncement: async (
      _: unknown,
      {
        id,
        uid: given,
        status,
        ...input
      }: AnnouncementInput & { id: string; uid?: string | null; status?: string | null },
      { ctx }: GraphqlContext,
    ) => {
      const uid = announcementUidOf(id)
      if (given && given.toLowerCase() !== uid) throw new NotFound()
      if (status && status !== 'draft') {
        throw new Invalid('A message is sent with sendAfterSave.', { status: 'A message is sent with sendAfterSave.' })
      }
      await updateAnnouncement(ctx, { ...inputOf(input), announcementUid: uid })
      return payloadOf(ctx, uid)
    },
    deleteAnnouncement: async (_: unknown, { data: { id } }: { data: { id: string } }, { ctx }: GraphqlContext) => {
      const { uid } = await deleteAnnouncement(ctx, { announcementUid: announcementUidOf(id) })
      return { id, uid }
    },
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
  Announcement: {
    id: ({ uid }: AnnouncementNode) => toGlobalId('Announcement', uid),
    fromField: ({ from }: AnnouncementNode) => from,
    sentTs: ({ sentAt }: AnnouncementNode) => sentAt,
    updatedTs: ({ updatedAt }: AnnouncementNode) => updatedAt,
    attachment: ({ attachment }: AnnouncementNode, _: unknown, { ctx }: GraphqlContext) =>
      attachment && { ...attachment, url: `${ctx.site.baseUrl}${fileAddress(attachment.name)}` },
    recipientsInfo: ({ recipientUids, people, selectedUserUids, filters }: AnnouncementNode) => ({
      recipients: recipientUids,
      count: people,
      selectedUserUids,
      filters,
    }),
    statistics: ({ uid }: AnnouncementNode, _: unknown, { ctx }: GraphqlContext) =>
      getAnnouncementStatistics(ctx, { announcementUid: uid }),
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
