import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { type ClientActionFunctionArgs, useActionData, useLoaderData } from '@remix-run/react'
import { MergeInstitution } from '~/components/console/institutions/institution-dialogs.tsx'
import type { ReplacementPreview } from '~/components/console/institutions/view.ts'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { answerRemoval } from '~/http/undo.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { getMergeDialog, previewReplacement } from '~/pages/institutions.server.ts'
import { deleteUniversity } from '~/services/users/replace-university.server.ts'

const list = '/dashboard/institutions/'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Institutions')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireSection(args, 'institutions')
  const { searchParams: params } = new URL(args.request.url)
  const { isDefault, ...dialog } = await getMergeDialog(ctx, { universityUid: args.params.uid ?? '', params }).catch(
    throwAsPage,
  )
  // The default institution stays, so the other one is merged into it.
  if (isDefault) {
    const { uid, into } = dialog
    const isOther = into !== '' && into.toLowerCase() !== uid
    throw redirect(isOther ? `${list}${encodeURIComponent(into)}/merge/?into=${uid}` : `${list}${uid}/`)
  }
  return dialog
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'institutions')
  const answer = await withForm(args, ctx, async (form): Promise<{ preview: ReplacementPreview } | Response> => {
    const input = { institution: args.params.uid ?? '', replacement: text(form, 'replacement') }
    // Only a merger whose consequences somebody has seen is done.
    const isSeen = text(form, 'previewed') === `${input.institution} ${input.replacement}`
    if (text(form, 'intent') !== 'merge' || !isSeen) return { preview: await previewReplacement(ctx, input) }
    const { removalUid, from, into } = await deleteUniversity(ctx, input)
    return redirectWithNotice(args, list, {
      kind: 'success',
      text: `“${from.name}” has been merged into “${into.name}”.`,
      undo: { action: `${list}removed/${removalUid}/restore/`, label: 'Undo' },
    })
  })
  return answerRemoval(args, list, answer)
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error updating Universities. Please try again later.')
}

export default function MergeInstitutionRoute() {
  const answer = useActionData<{ preview?: ReplacementPreview } | null>()
  return <MergeInstitution {...useLoaderData<typeof loader>()} preview={answer?.preview ?? null} />
}
