import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { InviteOne } from '~/components/console/invitations/invite-one.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { daysOf, inviteDialogForm } from '~/forms/users.ts'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { getInviteChoices } from '~/pages/invitations.server.ts'
import { parseInput } from '~/services/input.ts'
import { inviteUser } from '~/services/invitations/invite-users.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Users')

export async function loader(args: LoaderFunctionArgs) {
  return getInviteChoices(await requireAdmin(args))
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const list = `/dashboard/users/${tableSearch(new URL(args.request.url).search)}`
  return withForm(args, ctx, async (form) => {
    const { renewal, duration, unit, ...person } = parseInput(inviteDialogForm, Object.fromEntries(form))
    const days = daysOf({ renewal, duration, unit })
    await inviteUser(ctx, { ...person, autoRenew: days === null, subscriptionDurationDays: days })
    const name = `${person.firstName} ${person.lastName}`
    return redirectWithNotice(args, list, {
      kind: 'success',
      text: `${name} has been invited. The email is on its way.`,
    })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error inviting user. Please try again later.')
}

export default function Invite() {
  return <InviteOne {...useLoaderData<typeof loader>()} />
}
