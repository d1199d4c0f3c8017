/** The preview of a lecture or video: what a form has, saved or not, as learners would see it. Nothing is tracked. */
import { data } from '@remix-run/node'
import type { FilmPreviewView } from '~/components/console/films/view.ts'
import { type FilmMedia, filmMediaForm, filmMediaInput } from '~/forms/film-media.ts'
import { type FilmKindName, previewNeedsUrl } from '~/forms/films.ts'
import { parseForm } from '~/forms/parse.ts'
import { readTags } from '~/forms/tags.ts'
import { categoryNames, videoCategories } from '~/forms/videos.ts'
import type { SignedIn } from '~/http/context.server.ts'
import type { Exchange } from '~/http/exchange.server.ts'
import { refusalOf, text } from '~/http/respond.server.ts'
import { languageName } from '~/lib/caption-languages.ts'
import { fileAddress } from '~/lib/file-address.ts'
import { renderMarkdown } from '~/lib/markdown.ts'
import { cuesOf, linesOf } from '~/lib/transcript.ts'
import type { Ctx } from '~/services/context.ts'
import { Conflict } from '~/services/errors.ts'
import { type PreparedMedia, prepareFilmMedia } from '~/services/films/film-media.server.ts'
import { posterOf } from './films.server.ts'
import { termsOf } from './terms.server.ts'

type Args = { params: { uid?: string }; context: { exchange: Exchange } }

/** Answers PREVIEW: the form comes back as it is, with the film that it describes. */
export async function previewFilm(args: Args, ctx: SignedIn, kind: FilmKindName, form: FormData) {
  const source = text(form, 'videoSource') === 'file' ? 'videoFile' : 'videoUrl'
  if (text(form, source).trim() === '') throw new Conflict(`${kind}.no_film`, previewNeedsUrl(kind))
  const parsed = parseForm(filmMediaForm, filmMediaInput(form))
  if (!parsed.ok) {
    const [message = previewNeedsUrl(kind)] = Object.values(parsed.errors)
    throw new Conflict(`${kind}.no_film`, message, parsed.errors)
  }
  const uid = args.params.uid ?? text(form, 'uid')
  const prepared = await prepareFilmMedia(ctx, { kind, uid, media: parsed.value })
  const refusal = await refusalOf(ctx, args.context.exchange, form, { message: '' })
  return data({ ...refusal, film: { ...(await filmIn(ctx, kind, form)), ...mediaIn(parsed.value, prepared) } })
}

/** Answers Exit without JavaScript: the form with everything that was typed. */
export async function exitPreview(args: Args, ctx: SignedIn, form: FormData) {
  return data(await refusalOf(ctx, args.context.exchange, form, { message: '' }))
}

type MediaPreview = Pick<FilmPreviewView, 'src' | 'isFile' | 'duration' | 'tracks' | 'transcript'>

/** Files go by their own addresses, which are for staff, because those of a film are for what is saved. */
function mediaIn({ videoFile, videoUrl, captions }: FilmMedia, prepared: PreparedMedia): MediaPreview {
  const { lines, cues, isCaptions, source } = prepared
  const language = lines.length > 0 ? prepared.language : (captions[0]?.language ?? '')
  const written = { language: prepared.language, label: languageName(prepared.language), cues: cuesOf(lines) }
  return {
    src: videoFile ? fileAddress(videoFile) : videoUrl,
    isFile: videoFile !== null,
    duration: source.duration,
    tracks: [
      ...(isCaptions ? [written] : []),
      ...captions.map(({ language, file }) => ({
        language,
        label: languageName(language),
        address: fileAddress(file),
      })),
    ],
    transcript: {
      language,
      lines: lines.length > 0 ? lines : linesOf(cues ?? []),
      languages: language === '' ? [] : [{ language, label: languageName(language) }],
    },
  }
}

async function filmIn(ctx: SignedIn, kind: FilmKindName, form: FormData): Promise<WithoutMedia> {
  const cover = text(form, 'coverImg')
  const [description, questions] = [text(form, 'description'), text(form, 'questionsMarkdown')]
  const terms = await termsOf(ctx, form.has('showsTerms') ? [description, questions] : [])
  const film = {
    kind,
    name: text(form, 'name').trim(),
    description,
    presenter: text(form, 'presenter').trim(),
    category: text(form, 'category'),
    phases: form.getAll('phases').map(String),
    tags: readTags(text(form, 'tags')),
    cover: cover === '' ? null : fileAddress(encodeURIComponent(cover)),
    questions,
  }
  return filmPreviewOf(ctx, film, terms)
}

type WithoutMedia = Omit<FilmPreviewView, keyof MediaPreview>

type Previewed = Pick<WithoutMedia, 'kind' | 'name' | 'presenter' | 'tags'> & {
  description: string
  /** Of a video. */
  category?: string
  phases: readonly string[]
  /** The address of the cover image. */
  cover: string | null
  /** The guiding questions of a lecture, as Markdown. */
  questions?: string
}

/** A film, saved or not, as learners would see it, without its media. `terms` marks the words of the glossary. */
export function filmPreviewOf(ctx: Ctx, film: Previewed, terms: Awaited<ReturnType<typeof termsOf>>): WithoutMedia {
  const { category, phases: own, cover, questions = '', description, ...shown } = film
  const phase = phases.find((one) => one === own[0]?.toLowerCase()) ?? null
  const known = videoCategories.find((one) => one === category)
  const markdown = film.kind === 'lecture' ? questions : ''
  return {
    ...shown,
    description: terms.mark(description),
    eyebrow: film.kind === 'video' && known ? categoryNames[known] : null,
    phase,
    poster: posterOf(ctx, { name: film.name, phase, cover: cover === null ? null : { address: cover, alt: '' } }),
    questions: renderMarkdown(markdown, { headingOffset: 2, terms: terms.tree }),
  }
}

const phases = ['discover', 'develop', 'deliver'] as const
