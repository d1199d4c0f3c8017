import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, Outlet, useLoaderData } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { UnderDialog } from '~/components/console/route-dialog.tsx'
import { TagManager } from '~/components/console/tags/tag-manager.tsx'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { withForm } from '~/http/respond.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { listTagRows } from '~/pages/tag-manager.server.ts'
import { deleteTags } from '~/services/tags/change-tags.server.ts'

export const meta = pageTitle('Dashboard : Tags')

export async function loader(args: LoaderFunctionArgs) {
  return listTagRows(await requireSection(args, 'tags'))
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'tags')
  return withForm(args, ctx, async (form) => {
    const tagsToDelete = form.getAll('tagsToDelete').map(String)
    // Without JavaScript, Save can be pressed although nothing is staged.
    if (tagsToDelete.length === 0) {
      return redirectWithNotice(args, '/dashboard/tags/', { kind: 'info', text: 'No tags were chosen.' })
    }
    await deleteTags(ctx, { tagsToDelete })
    return redirectWithNotice(args, '/dashboard/tags/', { kind: 'success', text: 'Tags have been updated.' })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error updating Tags. Please try again later.')
}

export default function Tags() {
  const data = useLoaderData<typeof loader>()
  return (
    <>
      <UnderDialog>
        <TagManager {...data} />
      </UnderDialog>
      <Outlet />
    </>
  )
}
