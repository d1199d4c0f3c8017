import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { DeleteFilm } from '~/components/console/films/delete-film.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { answerRemoval } from '~/http/undo.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { answerDeleteFilm, getFilmToDelete } from '~/pages/film-questions.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Lectures')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  return getFilmToDelete(ctx, 'lecture', args.params.uid ?? '').catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  const answer = await withForm(args, ctx, (form) => answerDeleteFilm(args, ctx, 'lecture', form))
  return answerRemoval(args, `/dashboard/lectures/${tableSearch(new URL(args.request.url).search)}`, answer)
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, (form) => `Error deleting lecture "${form.get('name')}". Please try again later.`)
}

export default function DeleteLecture() {
  return <DeleteFilm kind="lecture" {...useLoaderData<typeof loader>()} />
}
