import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmDelete } from '~/components/console/confirm-delete.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { confirmDeleteForm } from '~/forms/confirm.ts'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { getFilmToDelete } from '~/pages/film-editor.server.ts'
import { parseInput } from '~/services/input.ts'
import { deleteLecture } from '~/services/lectures/save-lecture.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Lectures')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  return getFilmToDelete(ctx, 'lecture', args.params.uid ?? '').catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const lectureUid = args.params.uid ?? ''
  const list = tableSearch(new URL(args.request.url).search)
  return withForm(args, ctx, async (form) => {
    parseInput(confirmDeleteForm, Object.fromEntries(form))
    const { name } = await deleteLecture(ctx, { lectureUid })
    return redirectWithNotice(args, `/dashboard/lectures/${list}`, {
      kind: 'info',
      text: `Lecture "${name}" has been deleted`,
      undo: { action: `/dashboard/lectures/${lectureUid}/restore/${list}`, label: 'Undo' },
    })
  })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, (form) => `Error deleting lecture "${form.get('name')}". Please try again later.`)
}

export default function DeleteLecture() {
  const { name, warnings } = useLoaderData<typeof loader>()
  return (
    <ConfirmDelete
      title={`Remove ${name}`}
      question="Are you sure you want to delete the selected lecture?"
      warnings={warnings}
      closeTo="/dashboard/lectures/"
      fields={{ name }}
    />
  )
}
