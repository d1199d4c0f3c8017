import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmDelete } from '~/components/console/confirm-delete.tsx'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { keepForm } from '~/components/console/unanswered.ts'
import { confirmDeleteForm } from '~/forms/confirm.ts'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { parseInput } from '~/services/input.ts'
import { deleteModule, getModule } from '~/services/modules/modules.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { name } = await getModule(ctx, { moduleUid: args.params.uid ?? '' }).catch(throwAsPage)
  return { name }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const moduleUid = args.params.uid ?? ''
  return withForm(args, ctx, async (form) => {
    parseInput(confirmDeleteForm, Object.fromEntries(form))
    const { name } = await deleteModule(ctx, { moduleUid })
    return redirectWithNotice(args, '/dashboard/modules/', {
      kind: 'info',
      text: `Module "${name}" has been deleted`,
      undo: { action: `/dashboard/modules/${moduleUid}/restore/`, label: 'Undo' },
    })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error deleting module. Please try again later.')
}

export default function DeleteModule() {
  const { name } = useLoaderData<typeof loader>()
  return (
    <ConfirmDelete
      title={`Remove ${name}`}
      question="Are you sure you want to remove this module?"
      warnings={[
        'All related CMI5 content is removed with it.',
        'This may affect the progress of students who have started it.',
      ]}
      closeTo="/dashboard/modules/"
    />
  )
}
