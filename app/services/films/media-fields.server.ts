/** The media of a film as fields of its form: what saves compare and merge, and what the audit log keeps of them. */
import { captionsTwice, type FilmMedia } from '~/forms/film-media.ts'
import { languageName, usualLanguage } from '~/lib/caption-languages.ts'
import { readFilmFileAddress } from '~/lib/film-address.ts'
import { readTranscript, writeTranscript } from '~/lib/transcript.ts'
import type { Ctx } from '../context.ts'
import { Invalid } from '../errors.ts'
import { prepareTranscript } from './film-media.server.ts'
import type { FilmRef, MediaState } from './media-state.server.ts'

/** Files go by their stored names. Either `videoUrl` is empty or `videoFile` is null. */
export type MediaFields = {
  videoUrl: string
  videoFile: string | null
  /** The first are shown by default. */
  captions: { language: string; file: string }[]
  /** Lines with times (lib/transcript.ts). Empty if the transcript is made from the captions. */
  transcript: string
  transcriptLanguage: string
  transcriptAsCaptions: boolean
}

const names = [
  'videoUrl',
  'videoFile',
  'captions',
  'transcript',
  'transcriptLanguage',
  'transcriptAsCaptions',
] as const satisfies (keyof MediaFields)[]

/** The lists whose order matters. */
export const orderedMedia = ['captions'] as const

export function isMediaField(field: string): field is keyof MediaFields {
  return (names as readonly string[]).includes(field)
}

export function mediaFieldsOf({ captions, ...state }: MediaState): MediaFields {
  return {
    videoUrl: state.videoUrl,
    videoFile: state.videoFile?.name ?? null,
    captions: captions.map(({ language, file }) => ({ language, file: file.name })),
    transcript: writeTranscript(state.transcript),
    transcriptLanguage: state.transcriptLanguage,
    transcriptAsCaptions: state.transcriptAsCaptions,
  }
}

/** Turns what a schema has read into fields. An uploaded transcript becomes the text of the field. */
export async function readMediaFields<Values extends Partial<FilmMedia>>(
  ctx: Ctx,
  values: Values,
): Promise<WithTextOf<Values>> {
  const { transcript, transcriptFile, ...rest } = values
  const lines = transcriptFile ? await prepareTranscript(ctx, { transcript: [], transcriptFile }) : transcript
  return { ...rest, ...(lines && { transcript: writeTranscript(lines) }) } as WithTextOf<Values>
}

type WithTextOf<Values> = Omit<Values, 'transcript' | 'transcriptFile'> &
  ('transcript' extends keyof Values
    ? { [Field in 'transcript']: string | Extract<Values['transcript'], undefined> }
    : object)

/** The same fields for `prepareFilmMedia`. */
export function mediaOf(fields: MediaFields): FilmMedia {
  const { lines } = readTranscript(fields.transcript)
  return { ...fields, transcript: lines, transcriptFile: null } as FilmMedia
}

/**
 * Adds to changes what follows from them. The address of the film's own uploaded file changes nothing, and without lines
 * the transcript has no language.
 */
export function settleMedia<State extends MediaFields>(
  ctx: Ctx,
  ref: FilmRef,
  now: State,
  changes: Partial<State>,
): Partial<State> {
  const settled: Partial<State> = { ...changes }
  const own =
    now.videoFile !== null && changes.videoUrl
      ? readFilmFileAddress(changes.videoUrl.replace(ctx.site.baseUrl, ''))
      : null
  if (own?.kind === ref.kind && own.uid === ref.uid) {
    delete settled.videoUrl
    delete settled.videoFile
  }
  const next = { ...now, ...settled }
  if (next.transcript !== '') return settled
  return { ...settled, transcriptLanguage: usualLanguage, transcriptAsCaptions: false }
}

/** Refuses two captions in one language, which two authors can make together. */
export function requireCaptionsOnce(fields: MediaFields): void {
  const { transcriptAsCaptions, transcriptLanguage: own, captions } = fields
  if (!transcriptAsCaptions || !captions.some(({ language }) => language === own)) return
  const sentence = captionsTwice(own)
  throw new Invalid(sentence, { transcriptAsCaptions: sentence })
}

/** Tells a person whose form has another value what a field of the media is now. */
export function describeMedia(field: keyof MediaFields, now: MediaFields): string {
  switch (field) {
    case 'videoUrl':
      return now.videoUrl === '' ? 'The film is an uploaded file now.' : `It is now “${now.videoUrl}”.`
    case 'videoFile':
      return now.videoFile === null ? `The film is now at “${now.videoUrl}”.` : 'There is a different file now.'
    case 'captions':
      return captionsInWords(now.captions)
    case 'transcript':
      return now.transcript === '' ? 'It is empty now.' : 'There is a different text now.'
    case 'transcriptLanguage':
      return `It is now “${languageName(now.transcriptLanguage)}”.`
    case 'transcriptAsCaptions':
      return now.transcriptAsCaptions ? 'It is now checked.' : 'It is now unchecked.'
  }
}

function captionsInWords(captions: MediaFields['captions']): string {
  const languages = captions.map(({ language }) => languageName(language))
  if (languages.length === 0) return 'There are none now.'
  return `There are different ones now: ${languages.join(', ')}.`
}
