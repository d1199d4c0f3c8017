import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { PublishFilm } from '~/components/console/films/publish-film.tsx'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { requireConsole } from '~/http/context.server.ts'
import { redirectWithNotice } from '~/http/flash.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { text, throwAsPage, withForm } from '~/http/respond.server.ts'
import { tableSearch } from '~/lib/table-query.ts'
import { getFilmToPublish } from '~/pages/film-editor.server.ts'
import { publishVideo } from '~/services/videos/save-video.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Videos')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  return getFilmToPublish(ctx, 'video', args.params.uid ?? '').catch(throwAsPage)
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  return withForm(args, ctx, async (form) => {
    // The button names the action, so that an outdated page does not do the opposite.
    const publish = text(form, 'intent') !== 'unpublish'
    const { name } = await publishVideo(ctx, { videoUid: args.params.uid ?? '', publish })
    return redirectWithNotice(args, `/dashboard/videos/${tableSearch(new URL(args.request.url).search)}`, {
      kind: 'info',
      text: `Video "${name}" has been ${publish ? 'published' : 'unpublished'}.`,
    })
  })
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
