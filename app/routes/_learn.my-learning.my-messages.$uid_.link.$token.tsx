import { type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { messageAddress } from '~/components/messages/message-address.ts'
import { onceSeen } from '~/http/afterwards.server.ts'
import { requireLearner } from '~/http/context.server.ts'
import { requireMessages } from '~/pages/own-messages.server.ts'
import { getAnnouncementLink, markClicked } from '~/services/announcements/announcements.server.ts'
import { NotFound } from '~/services/errors.ts'

/**
 * Follows a link of a message: redirects only to the address that was stored with it. An unknown link leads to its
 * message.
 */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const { exchange } = args.context
  await requireMessages(ctx, exchange)
  const { uid = '', token = '' } = args.params
  try {
    const { url } = await getAnnouncementLink(ctx, { uid, link: token })
    onceSeen(exchange, () => markClicked(ctx, { uid }))
    return redirect(url)
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    return redirect(messageAddress(uid))
  }
}
