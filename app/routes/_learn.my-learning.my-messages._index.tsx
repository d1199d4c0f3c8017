import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { MessageList } from '~/components/messages/message-list.tsx'
import { requireLearner } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { formatDay } from '~/lib/dates.ts'
import { itemsPerPage } from '~/lib/list-page.ts'
import { excerptOf } from '~/lib/markdown.ts'
import { pageNumber } from '~/lib/table-query.ts'
import { requireMessages } from '~/pages/own-messages.server.ts'
import { listOwnAnnouncements } from '~/services/announcements/announcements.server.ts'

export const meta = pageTitle('My Messages')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  await requireMessages(ctx, args.context.exchange)
  const page = pageNumber(new URL(args.request.url).searchParams.get('page'))
  const { items, total } = await listOwnAnnouncements(ctx, { page })
  return {
    page,
    total,
    size: itemsPerPage,
    messages: items.map(({ uid, subject, text, from, sentAt, openedAt, pinnedAt, attachment }) => ({
      uid,
      subject,
      from,
      excerpt: excerptOf(text),
      sentAt: sentAt.toISOString(),
      sentOn: formatDay(sentAt, ctx.site.timeZone),
      isUnread: openedAt === null,
      isPinned: pinnedAt !== null,
      hasAttachment: attachment !== null,
    })),
  }
}

export default function MyMessages() {
  return <MessageList {...useLoaderData<typeof loader>()} />
}
