import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import type { ClientActionFunctionArgs } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { AddSuppression } from '~/components/console/mails/add-suppression.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { addSuppression } from '~/services/mail/suppressions.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Suppressed Addresses')

export async function loader(args: LoaderFunctionArgs) {
  await requireSection(args, 'suppressed')
  return null
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'suppressed')
  return withForm(args, ctx, async (form) => {
    const { address, isNew } = await addSuppression(ctx, { email: text(form, 'email') })
    return redirectWithNotice(args, '/dashboard/suppressed/', {
      kind: isNew ? 'success' : 'info',
      text: isNew ? `${address} gets no mail from now on.` : `${address} is on the list already.`,
    })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error adding the address. Please try again later.')
}

export default function AddAddress() {
  return <AddSuppression />
}
