import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { restoreCourse } from '~/services/courses/publish-course.server.ts'

/** Redirects visitors: only the Undo of a deletion posts here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireConsole(args)
  return redirect('/dashboard/courses/')
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const list = `/dashboard/courses/${tableSearch(new URL(args.request.url).search)}`
  const answer = await withForm(args, ctx, async () => {
    const { name } = await restoreCourse(ctx, { courseUid: args.params.uid ?? '' })
    return redirectWithNotice(args, list, { kind: 'info', text: `Course "${name}" is back.` })
  })
  return answerUndo(args, list, answer)
}

export default function RestoreCourse() {
  return null
}
