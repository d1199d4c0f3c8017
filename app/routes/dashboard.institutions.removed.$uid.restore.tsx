import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { restoreUniversity } from '~/services/users/replace-university.server.ts'

/** Redirects visitors: only Restore and Undo post here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireSection(args, 'institutions')
  return redirect('/dashboard/institutions/')
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'institutions')
  const answer = await withForm(args, ctx, async () => {
    const { name } = await restoreUniversity(ctx, { removalUid: args.params.uid ?? '' })
    return redirectWithNotice(args, '/dashboard/institutions/', { kind: 'success', text: `“${name}” is back.` })
  })
  return answerUndo(args, '/dashboard/institutions/', answer)
}

export default function RestoreInstitution() {
  return null
}
