import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { restoreScheduledChange } from '~/services/schedule/schedule.server.ts'

const list = '/dashboard/schedule/'

/** Redirects visitors: only Undo posts here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireConsole(args)
  return redirect(list)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const answer = await withForm(args, ctx, async () => {
    const { uid, name } = await restoreScheduledChange(ctx, { changeUid: args.params.uid ?? '' })
    const what = name === null ? 'The change' : `The change of "${name}"`
    return redirectWithNotice(args, list, { kind: 'success', subject: uid, text: `${what} is planned again.` })
  })
  return answerUndo(args, list, answer)
}

export default function RestoreScheduledChange() {
  return null
}
