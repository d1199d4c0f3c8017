import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { FilmDialog } from '~/components/console/films/film-dialog.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { filmFileKinds } from '~/forms/films.ts'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerNewFilm, getNewFilm } from '~/pages/film-editor.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Lectures')

export async function loader(args: LoaderFunctionArgs) {
  return getNewFilm(await requireConsole(args), 'lecture')
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  return withForm(args, ctx, (form) => answerNewFilm(args, ctx, 'lecture', form), { files: filmFileKinds })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving lecture. Please try again later.')
}

export default function CreateLecture() {
  return <FilmDialog kind="lecture" {...useLoaderData<typeof loader>()} />
}
