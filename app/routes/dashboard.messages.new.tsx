import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { MessageDialog } from '~/components/console/messages/message-dialog.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { messageTexts } from '~/forms/announcements.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getMessageDialog } from '~/pages/message-dialog.server.ts'
import { answerMessageDialog } from '~/pages/message-dialog-answers.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Messages')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const params = new URL(args.request.url).searchParams
  return getMessageDialog(ctx, { uid: null, params }, null).catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'messages')
  const files = { attachment: 'attachment' } as const
  return withForm(args, ctx, (form) => answerMessageDialog(args, ctx, form, null), { files })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, messageTexts.createFailure)
}

export default function CreateMessage() {
  return <MessageDialog view={useLoaderData<typeof loader>()} />
}
