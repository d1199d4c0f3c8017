import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { restoreAudience } from '~/services/audiences/save-audience.server.ts'

/** Redirects visitors: only Restore and Undo post here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireSection(args, 'audiences')
  return redirect('/dashboard/audiences/')
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'audiences')
  const answer = await withForm(args, ctx, async () => {
    const { name } = await restoreAudience(ctx, { audienceUid: args.params.uid ?? '' })
    return redirectWithNotice(args, '/dashboard/audiences/', { kind: 'success', text: `“${name}” is back.` })
  })
  return answerUndo(args, '/dashboard/audiences/', answer)
}

export default function RestoreAudience() {
  return null
}
