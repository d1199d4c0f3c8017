import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmDelete } from '~/components/console/confirm-delete.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { confirmDeleteForm } from '~/forms/confirm.ts'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { getUserHead } from '~/pages/user-dialog.server.ts'
import { deleteUser } from '~/services/accounts/delete-user.server.ts'
import { parseInput } from '~/services/input.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Users')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  const { name, email } = await getUserHead(ctx, { userUid: args.params.uid ?? '' }).catch(throwAsPage)
  return { name, email }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const userUid = args.params.uid ?? ''
  const list = tableSearch(new URL(args.request.url).search)
  return withForm(args, ctx, async (form) => {
    parseInput(confirmDeleteForm, Object.fromEntries(form))
    const { firstName, lastName } = await deleteUser(ctx, { userUid })
    return redirectWithNotice(args, `/dashboard/users/${list}`, {
      kind: 'info',
      text: `User "${firstName} ${lastName}" has been deleted`,
      undo: { action: `/dashboard/users/${userUid}/restore/${list}`, label: 'Undo' },
    })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error deleting user. Please try again later.')
}

export default function DeleteUser() {
  const { name, email } = useLoaderData<typeof loader>()
  return (
    <ConfirmDelete
      title={`Delete ${name}`}
      actionLabel="Delete"
      question={`Are you sure you want to delete ${name} (${email})?`}
      warnings={[
        'The account is closed at once: the person is logged out everywhere and no longer listed. You can undo this for 30 days.',
        'After that, name, address, answers, assignments, saved items and access are erased for good.',
        'Progress, scores and statements stay without a name, so that the figures of your content remain right.',
        'Until then, nobody else can be invited with this address.',
      ]}
      closeTo="/dashboard/users/"
    />
  )
}
