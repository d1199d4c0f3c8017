/** The preview of a lecture or video: what a form has, saved or not, as learners would see it. Nothing is tracked. */
import { data } from '@remix-run/node'
import type { FilmPreviewView } from '~/components/console/films/view.ts'
import { type FilmKindName, filmFields, previewNeedsUrl } from '~/forms/films.ts'
import { readTags } from '~/forms/tags.ts'
import { categoryNames, videoCategories } from '~/forms/videos.ts'
import type { SignedIn } from '~/http/context.server.ts'
import type { Exchange } from '~/http/exchange.server.ts'
import { refusalOf, text } from '~/http/respond.server.ts'
import { fileAddress } from '~/lib/file-address.ts'
import { renderMarkdown } from '~/lib/markdown.ts'
import { Conflict } from '~/services/errors.ts'
import { posterOf } from './films.server.ts'

type Args = { context: { exchange: Exchange } }

/** Answers PREVIEW: the form comes back as it is, with the film that it describes. */
export async function previewFilm(args: Args, ctx: SignedIn, kind: FilmKindName, form: FormData) {
  const url = filmFields.videoUrl.safeParse(text(form, 'videoUrl'))
  if (text(form, 'videoUrl').trim() === '') throw new Conflict(`${kind}.no_film`, previewNeedsUrl(kind))
  if (!url.success) {
    const message = url.error.issues[0]?.message ?? previewNeedsUrl(kind)
    throw new Conflict(`${kind}.no_film`, message, { videoUrl: message })
  }
  const refusal = await refusalOf(ctx, args.context.exchange, form, { message: '' })
  return data({ ...refusal, film: filmIn(ctx, kind, form, url.data) })
}

/** Answers Exit without JavaScript: the form with everything that was typed. */
export async function exitPreview(args: Args, ctx: SignedIn, form: FormData) {
  return data(await refusalOf(ctx, args.context.exchange, form, { message: '' }))
}

function filmIn(ctx: SignedIn, kind: FilmKindName, form: FormData, src: string): FilmPreviewView {
  const name = text(form, 'name').trim()
  const cover = text(form, 'coverImg')
  const phase = phases.find((one) => one === String(form.getAll('phases')[0] ?? '').toLowerCase()) ?? null
  const category = videoCategories.find((one) => one === text(form, 'category'))
  return {
    kind,
    name,
    description: text(form, 'description'),
    presenter: text(form, 'presenter').trim(),
    eyebrow: kind === 'video' && category ? categoryNames[category] : null,
    phase,
    tags: readTags(text(form, 'tags')),
    src,
    poster: posterOf(ctx, {
      name,
      phase,
      cover: cover === '' ? null : { address: fileAddress(encodeURIComponent(cover)), alt: '' },
    }),
    questions: kind === 'lecture' ? renderMarkdown(text(form, 'questionsMarkdown'), { headingOffset: 2 }) : '',
  }
}

const phases = ['discover', 'develop', 'deliver'] as const
