import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { EditView } from '~/components/console/reports/saved-views.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { getOwnSavedView, updateSavedView } from '~/services/reports/saved-views.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Reports')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return getOwnSavedView(ctx, { viewUid: args.params.uid ?? '' }).catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  return withForm(args, ctx, async (form) => {
    const input = { name: text(form, 'name'), isShared: form.has('isShared') }
    const { name } = await updateSavedView(ctx, { ...input, viewUid: args.params.uid ?? '' })
    const to = `/dashboard/reports/views/${tableSearch(new URL(args.request.url).search)}`
    return redirectWithNotice(args, to, { kind: 'success', text: `View “${name}” has been saved.` })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving the view. Please try again later.')
}

export default function EditViewRoute() {
  return <EditView {...useLoaderData<typeof loader>()} />
}
