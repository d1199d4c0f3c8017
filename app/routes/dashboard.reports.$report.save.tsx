import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { SaveView } from '~/components/console/reports/saved-views.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { addressOf, askedAt, getSaveView, keptChoiceAt } from '~/pages/saved-views.server.ts'
import { createSavedView } from '~/services/reports/saved-views.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Reports')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireAdmin(args)
  return getSaveView(ctx, args).catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  return withForm(args, ctx, async (form) => {
    const asked = askedAt(args)
    const { uid, name } = await createSavedView(ctx, {
      ...asked,
      uid: text(form, 'uid') || undefined,
      name: text(form, 'name'),
      isShared: form.has('isShared'),
    })
    const { choice } = await keptChoiceAt(ctx, args)
    return redirectWithNotice(args, addressOf(asked.path, choice, { ...asked, view: uid }), {
      kind: 'success',
      text: `View “${name}” has been saved.`,
    })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving the view. Please try again later.')
}

export default function SaveViewRoute() {
  return <SaveView {...useLoaderData<typeof loader>()} />
}
