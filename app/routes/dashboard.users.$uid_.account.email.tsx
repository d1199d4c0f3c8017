import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { ChangeAddress } from '~/components/console/users/change-address.tsx'
import { updateFailed } from '~/forms/profile-rules.ts'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { getAddressChangeView } from '~/pages/user-dialog.server.ts'
import { cancelAddressChange, sendAddressLinkAgain } from '~/services/accounts/address-changes.server.ts'
import type { Ctx } from '~/services/context.ts'
import { changeAddressOf } from '~/services/invitations/change-address.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Users')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return { user: await getAddressChangeView(ctx, { userUid: args.params.uid ?? '' }).catch(throwAsPage) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const userUid = args.params.uid ?? ''
  const dialog = `/dashboard/users/${userUid}/${tableSearch(new URL(args.request.url).search)}`
  return withForm(args, ctx, async (form) => {
    const done = await change(ctx, { userUid, intent: text(form, 'intent'), email: text(form, 'email') })
    return redirectWithNotice(args, dialog, { kind: 'success', text: done })
  })
}

type Posted = { userUid: string; intent: string; email: string }

/** Returns the sentence that says what was done. */
async function change(ctx: Ctx, { userUid, intent, email }: Posted): Promise<string> {
  if (intent === 'cancel') {
    await cancelAddressChange(ctx, { userUid })
    return 'The change of the email address has been canceled.'
  }
  if (intent === 'again') {
    await sendAddressLinkAgain(ctx, { userUid })
    return 'The link is being sent again.'
  }
  const { isWaiting } = await changeAddressOf(ctx, { userUid, email })
  return isWaiting
    ? 'The new address gets a mail with a link to confirm it.'
    : 'The email address has been changed, and the invitation is being sent to it.'
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, updateFailed)
}

export default function ChangeAddressOfUser() {
  return <ChangeAddress user={useLoaderData<typeof loader>().user} />
}
