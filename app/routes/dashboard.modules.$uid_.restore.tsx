import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { requireConsole } from '~/http/context.server.ts'
import { answerUndo } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { restoreModule } from '~/services/modules/modules.server.ts'

/** Redirects visitors: only the Undo of a deletion posts here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireConsole(args)
  return redirect('/dashboard/modules/')
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const list = `/dashboard/modules/${tableSearch(new URL(args.request.url).search)}`
  return answerUndo(args, ctx, list, async () => {
    const { name } = await restoreModule(ctx, { moduleUid: args.params.uid ?? '' })
    return `Module "${name}" is back.`
  })
}

export default function RestoreModule() {
  return null
}
