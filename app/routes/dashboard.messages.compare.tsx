import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { CompareMessages } from '~/components/console/messages/compare-messages.tsx'
import { messagesPath } from '~/components/console/messages/messages-table.tsx'
import type { ComparedMessage } from '~/components/console/messages/view.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { mostCompared } from '~/forms/announcement-tables.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { selectedIn } from '~/http/selection.server.ts'
import { getComparedMessages } from '~/pages/compare-messages.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Messages')

const path = `${messagesPath}compare/`

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const { searchParams } = new URL(args.request.url)
  const messages = await getComparedMessages(ctx, { uids: searchParams.getAll('uid') }).catch(throwAsPage)
  const channel = channelOf(searchParams.get('channel'), messages)
  const uids = messages.map(({ uid }) => ['uid', uid])
  const addressOf = (channel: string) => `${path}?${new URLSearchParams([...uids, ['channel', channel]])}`
  return { messages, channel, addresses: { email: addressOf('email'), dashboard: addressOf('dashboard') } }
}

/** The one that is asked for. Without one, the first that a message was sent by, so that it shows figures. */
function channelOf(asked: string | null, messages: ComparedMessage[]): ComparedMessage['deliveryType'] {
  if (asked === 'email' || asked === 'dashboard') return asked
  return messages.some(({ deliveryType }) => deliveryType === 'email') ? 'email' : 'dashboard'
}

/** Gives the comparison of the selected messages an address (C-033). */
export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  return withForm(args, ctx, async (form) => {
    const uids = [...new Set(selectedIn(form))]
    if (uids.length < 2 || uids.length > mostCompared) {
      const text = 'Please check two to four messages that were sent.'
      return redirectWithNotice(args, messagesPath, { kind: 'error', text })
    }
    return redirect(`${path}?${new URLSearchParams(uids.map((uid) => ['uid', uid]))}`)
  })
}

export default function Compare() {
  return <CompareMessages {...useLoaderData<typeof loader>()} />
}
