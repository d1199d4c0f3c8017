import { randomUUID } from 'node:crypto'
import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { type ClientActionFunctionArgs, useLoaderData } from '@remix-run/react'
import { FilmDialog } from '~/components/console/films/film-dialog.tsx'
import { filmMediaDefaults } from '~/components/console/films/view.ts'
import { keepForm } from '~/components/console/keep-form.ts'
import { dialogHandle } from '~/components/console/route-dialog.tsx'
import { filmFileKinds } from '~/forms/films.ts'
import { requireConsole } from '~/http/context.server.ts'
import { pageTitle } from '~/http/meta.ts'
import { withForm } from '~/http/respond.server.ts'
import { answerNewFilm, listFilmFormChoices } from '~/pages/film-editor.server.ts'
import { filmMediaView } from '~/pages/film-media.server.ts'
import { offeredDraft } from '~/pages/form-drafts.server.ts'

export const handle = dialogHandle
export const meta = pageTitle('Dashboard : Videos')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireConsole(args)
  const [choices, draft] = await Promise.all([listFilmFormChoices(ctx), offeredDraft(ctx, { kind: 'video' })])
  return { uid: randomUUID(), choices, draft, media: filmMediaView(null) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireConsole(args)
  return withForm(args, ctx, (form) => answerNewFilm(args, ctx, 'video', form), { files: filmFileKinds })
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving video. Please try again later.')
}

export default function CreateVideo() {
  const { uid, choices, draft, media } = useLoaderData<typeof loader>()
  return (
    <FilmDialog
      kind="video"
      uid={uid}
      choices={choices}
      defaults={{ showsTerms: 'on', accessPlanUids: [], phases: [], ...filmMediaDefaults(media) }}
      files={{ coverImg: null }}
      media={media}
      film={null}
      draft={draft}
    />
  )
}
