import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { PublishFilm } from '~/components/console/films/publish-film.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { throwAsPage, withForm } from '~/http/respond.server.ts'
import { answerPublishFilm, getFilmToPublish } from '~/pages/film-questions.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Videos')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  return getFilmToPublish(ctx, 'video', args.params.uid ?? '').catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  return withForm(args, ctx, (form) => answerPublishFilm(args, ctx, 'video', form))
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, (form) =>
    form.get('intent') === 'unpublish'
      ? 'Error unpublishing video. Please try again later.'
      : 'Error publishing video. Please try again later.',
  )
}

export default function PublishVideo() {
  return <PublishFilm kind="video" {...useLoaderData<typeof loader>()} />
}
