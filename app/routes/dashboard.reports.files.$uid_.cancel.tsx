import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { withButton } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { cancelReportFile } from '~/services/reports/report-files.server.ts'

const list = '/dashboard/reports/files/'

/** Redirects visitors: only Cancel posts here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args)
  return redirect(list)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const answer = await withButton(args, ctx, async () => {
    const { state } = await cancelReportFile(ctx, { fileUid: args.params.uid ?? '' })
    return redirectWithNotice(
      args,
      list,
      state === 'canceled'
        ? { kind: 'success', text: 'The preparation of the file has been canceled.' }
        : { kind: 'info', text: 'The preparation had already ended.' },
    )
  })
  return answerUndo(args, list, answer)
}

export default function CancelReportFile() {
  return null
}
