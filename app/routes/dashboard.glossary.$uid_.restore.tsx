import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import { answerUndo } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { requireSection } from '~/pages/console-section.server.ts'
import { restoreGlossaryTerm } from '~/services/glossary/save-term.server.ts'

/** Redirects visitors: only the Undo of a removal posts here. */
export async function loader(args: LoaderFunctionArgs) {
  await requireSection(args, 'glossary')
  return redirect('/dashboard/glossary/')
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireSection(args, 'glossary')
  const list = `/dashboard/glossary/${tableSearch(new URL(args.request.url).search)}`
  return answerUndo(args, ctx, list, async () => {
    const { name } = await restoreGlossaryTerm(ctx, { termUid: args.params.uid ?? '' })
    return `Term “${name}” is back.`
  })
}

export default function RestoreTerm() {
  return null
}
