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
import { answerRemoval } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { moduleConsequencesInWords } from '~/pages/consequences.server.ts'
import { lostPlansInWords } from '~/pages/schedule.server.ts'
import { countPeopleInModule } from '~/services/cmi5/cmi5.server.ts'
import { parseInput } from '~/services/input.ts'
import { deleteModule, getModule } from '~/services/modules/modules.server.ts'
import { countConsequencesOfModule } from '~/services/read/consequences.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Modules')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const { name, uid } = await getModule(ctx, { moduleUid: args.params.uid ?? '' }).catch(throwAsPage)
  const [consequences, people, plans] = await Promise.all([
    countConsequencesOfModule(ctx, { moduleUid: uid }),
    countPeopleInModule(ctx, { moduleUid: uid }),
    lostPlansInWords(ctx, { kind: 'module', itemUid: uid }),
  ])
  return { name, warnings: [...plans, ...moduleConsequencesInWords(consequences, people)] }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const moduleUid = args.params.uid ?? ''
  const list = tableSearch(new URL(args.request.url).search)
  const answer = await withForm(args, ctx, async (form) => {
    parseInput(confirmDeleteForm, Object.fromEntries(form))
    const { name } = await deleteModule(ctx, { moduleUid })
    return redirectWithNotice(args, `/dashboard/modules/${list}`, {
      kind: 'info',
      text: `Module "${name}" has been deleted`,
      undo: { action: `/dashboard/modules/${moduleUid}/restore/${list}`, label: 'Undo' },
    })
  })
  return answerRemoval(args, `/dashboard/modules/${list}`, answer)
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error deleting module. Please try again later.')
}

export default function DeleteModule() {
  const { name, warnings } = useLoaderData<typeof loader>()
  return (
    <ConfirmDelete
      title={`Remove ${name}`}
      question="Are you sure you want to remove this module?"
      warnings={warnings}
      closeTo="/dashboard/modules/"
    />
  )
}
