import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { assignedAgainInWords } from '~/forms/assignments.ts'
import { brandOf, requireAdmin } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { undoUnassignOne } from '~/services/assignments/unassign-one.server.ts'

/** Redirects visitors: only the Undo of an assignment that was taken back posts here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireAdmin(args)
  return redirect(listOf(args))
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireAdmin(args)
  const answer = await withForm(args, ctx, async () => {
    const { uid: userUid = '', operation: operationUid = '' } = args.params
    const item = await undoUnassignOne(ctx, { userUid, operationUid })
    return redirectWithNotice(args, listOf(args), {
      kind: 'info',
      text: item ? assignedAgainInWords(brandOf(ctx).assignVerb, item.itemName) : 'There is nothing left to undo.',
    })
  })
  return answerUndo(args, listOf(args), answer)
}

function listOf({ params, request }: Pick<ActionFunctionArgs, 'params' | 'request'>): string {
  const { search, searchParams } = new URL(request.url)
  const list = new URLSearchParams(tableSearch(search))
  list.set('list', 'assigned')
  list.set('of', searchParams.get('of') === 'courses' ? 'courses' : 'modules')
  return `/dashboard/users/${params.uid}/progress/?${list}`
}

export default function AssignAgain() {
  return null
}
