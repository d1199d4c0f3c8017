import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { throwAsPage, withButton } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { askedAt, reportOf } from '~/pages/saved-views.server.ts'
import { updateSavedQuestion } from '~/services/reports/saved-views.server.ts'

/** Redirects visitors: only “Save changes” posts here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args)
  return redirect(pathOfReport(args))
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const to = pathOfReport(args)
  const answer = await withButton(args, ctx, async () => {
    const { view, ...asked } = askedAt(args)
    const { name } = await updateSavedQuestion(ctx, { ...asked, viewUid: view ?? '' })
    return redirectWithNotice(args, to, { kind: 'success', text: `View “${name}” has been saved.` })
  })
  return answerUndo(args, to, answer)
}

function pathOfReport(args: LoaderFunctionArgs): string {
  try {
    return reportOf(args)
  } catch (error) {
    return throwAsPage(error)
  }
}

export default function SaveQuestion() {
  return null
}
