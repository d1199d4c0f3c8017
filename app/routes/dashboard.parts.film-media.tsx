import { randomUUID } from 'node:crypto'
import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from '@remix-run/node'
import type { ClientActionFunctionArgs } from '@remix-run/react'
import { keepForm } from '~/components/console/keep-form.ts'
import { FilmMediaExample } from '~/components/console/parts/film-media.tsx'
import { filmMediaFiles, filmMediaForm } from '~/forms/film-media.ts'
import { parseForm } from '~/forms/parse.ts'
import { formValues } from '~/forms/steps.ts'
import { withForm } from '~/http/respond.server.ts'
import { filmMediaView } from '~/pages/film-media.server.ts'
import { requireParts } from '~/pages/parts.server.ts'
import { Invalid } from '~/services/errors.ts'
import { prepareFilmMedia } from '~/services/films/film-media.server.ts'

export async function loader(args: LoaderFunctionArgs) {
  await requireParts(args)
  return { media: filmMediaView(null) }
}

export async function action(args: ActionFunctionArgs) {
  const ctx = await requireParts(args)
  return withForm(
    args,
    ctx,
    async (form) => {
      const parsed = parseForm(filmMediaForm, formValues(form))
      if (!parsed.ok) throw new Invalid(Object.values(parsed.errors)[0] ?? '', parsed.errors)
      const media = parsed.value
      const { source, captions, lines, isCaptions } = await prepareFilmMedia(ctx, {
        kind: 'video',
        uid: randomUUID(),
        media,
      })
      const received = {
        source: source.fileUid ? 'file' : source.videoUrl,
        seconds: source.duration,
        captions: captions.map(({ language }) => language),
        lines: lines.slice(0, 20),
        isCaptions,
      }
      return redirect(`?${new URLSearchParams({ received: JSON.stringify(received, null, 2) })}`)
    },
    { files: filmMediaFiles },
  )
}

export function clientAction(args: ClientActionFunctionArgs) {
  return keepForm(args, 'Error saving the form. Please try again later.')
}

export default function FilmMediaPart() {
  return <FilmMediaExample />
}
