import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { text, withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { cancelScheduledChange } from '~/services/schedule/schedule.server.ts'

const list = '/dashboard/schedule/'

/** Redirects visitors: only Cancel posts here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireConsole(args)
  return redirect(list)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const answer = await withForm(args, ctx, async (form) => {
    const shownAt = Number(text(form, 'at'))
    const change = await cancelScheduledChange(ctx, { changeUid: args.params.uid ?? '', shownAt })
    const { uid, kind, itemUid, name } = change
    const to = text(form, 'from') === 'dialog' ? `/dashboard/${kind}s/${itemUid}/schedule/` : list
    const what = name === null ? 'The change has' : `The change of "${name}" has`
    return redirectWithNotice(args, to, {
      kind: 'success',
      text: `${what} been canceled.`,
      undo: { action: `/dashboard/schedule/${uid}/restore/`, label: 'Undo' },
    })
  })
  return answerUndo(args, list, answer)
}

export default function CancelScheduledChange() {
  return null
}
