import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from '@remix-run/node'
import { useActionData, useLoaderData } from '@remix-run/react'
import { messageAddress, messageLinkAddress } from '~/components/messages/message-address.ts'
import { MessagePage } from '~/components/messages/message-page.tsx'
import type { Refused } from '~/forms/refused.ts'
import { onceSeen } from '~/http/afterwards.server.ts'
import { requireLearner } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { titleFrom } from '~/http/meta.ts'
import { text, throwAsPage, withButton } from '~/http/respond.server.ts'
import { formatMoment } from '~/lib/dates.ts'
import { renderMarkdown } from '~/lib/markdown.ts'
import { attachmentView, requireMessages } from '~/pages/own-messages.server.ts'
import { termsOf } from '~/pages/terms.server.ts'
import {
  findAnnouncementNeighbours,
  getOwnAnnouncement,
  markOpened,
  pinAnnouncement,
} from '~/services/announcements/announcements.server.ts'
import { Invalid } from '~/services/errors.ts'

export const meta: MetaFunction<typeof loader> = ({ matches, data }) =>
  titleFrom(matches, data?.message.subject ?? 'My Messages')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const { exchange } = args.context
  await requireMessages(ctx, exchange)
  const uid = args.params.uid ?? ''
  const [announcement, neighbours] = await Promise.all([
    getOwnAnnouncement(ctx, { uid }).catch(throwAsPage),
    findAnnouncementNeighbours(ctx, { uid }),
  ])
  if (announcement.openedAt === null) onceSeen(exchange, () => markOpened(ctx, { uid }))
  const { subject, from, sentAt, pinnedAt, links } = announcement
  const terms = await termsOf(ctx, [announcement.text])
  const tokens = new Map(links.map(({ url, token }) => [url, token]))
  const linkTo = (address: string) => {
    const token = tokens.get(address)
    return token ? messageLinkAddress(announcement.uid, token) : address
  }
  return {
    message: {
      subject,
      from,
      html: renderMarkdown(announcement.text, { headingsFrom: 3, linkTo, terms: terms.tree }),
      sentAt: sentAt.toISOString(),
      sentOn: formatMoment(sentAt, ctx.site.timeZone),
      isPinned: pinnedAt !== null,
      isNew: announcement.openedAt === null,
      attachment: attachmentView(announcement),
    },
    ...neighbours,
  }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireLearner(args)
  return withButton(args, ctx, async (form) => {
    const intent = text(form, 'intent')
    if (intent !== 'pin' && intent !== 'unpin') throw new Invalid('Nothing was chosen.')
    const isPinned = intent === 'pin'
    const { uid } = await pinAnnouncement(ctx, { uid: args.params.uid ?? '', isPinned })
    return redirectWithNotice(args, messageAddress(uid), {
      kind: 'success',
      text: isPinned ? 'Pinned. It stays at the top of your messages.' : 'No longer pinned.',
    })
  })
}

export default function MyMessage() {
  const page = useLoaderData<typeof loader>()
  return <MessagePage {...page} refusal={useActionData<Refused>()} />
}
