import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { restoreSuppression } from '~/services/mail/suppressions.server.ts'

const list = '/dashboard/suppressed/'

/** Redirects visitors: only Undo posts here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireSection(args, 'suppressed')
  return redirect(list)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'suppressed')
  const answer = await withForm(args, ctx, async () => {
    const { address } = await restoreSuppression(ctx, { uid: args.params.uid ?? '' })
    return redirectWithNotice(args, list, { kind: 'success', text: `${address} is suppressed again.` })
  })
  return answerUndo(args, list, answer)
}

export default function SuppressAgain() {
  return null
}
