import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { ConfirmRoute } from '~/components/console/confirm-route.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { answerRemoval } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { deleteGlossaryTerm, getGlossaryTermToEdit } from '~/services/glossary/save-term.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Glossary')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'glossary')
  const { name } = await getGlossaryTermToEdit(ctx, { termUid: args.params.uid ?? '' }).catch(throwAsPage)
  return { name }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'glossary')
  const search = tableSearch(new URL(args.request.url).search)
  const answer = await withForm(args, ctx, async () => {
    const { uid } = await deleteGlossaryTerm(ctx, { termUid: args.params.uid ?? '' })
    return redirectWithNotice(args, `/dashboard/glossary/${search}`, {
      kind: 'success',
      text: 'Successfully removed glossary term.',
      undo: { action: `/dashboard/glossary/${uid}/restore/${search}`, label: 'Undo' },
    })
  })
  return answerRemoval(args, `/dashboard/glossary/${search}`, answer)
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error removing glossary term. Please try again later.')
}

export default function DeleteTerm() {
  const { name } = useLoaderData<typeof loader>()
  return (
    <ConfirmRoute
      title="Remove Term"
      question={
        <p>
          Are you sure you want to remove “{name}” from the glossary? Links to it will lead to the list. You can bring
          it back from the trash for thirty days.
        </p>
      }
      actionLabel="Remove"
      tone="danger"
      closeTo="/dashboard/glossary/"
    />
  )
}
