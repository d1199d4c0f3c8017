/** The media of a film for its form. */
import { type FilmMediaView, filmMediaDefaults } from '~/components/console/films/view.ts'
import { captionsField } from '~/forms/film-media.ts'
import { usualLanguage } from '~/lib/caption-languages.ts'
import { writeTranscript } from '~/lib/transcript.ts'
import type { MediaState } from '~/services/films/media-state.server.ts'
import { ruleOf } from '~/services/uploads/rules.server.ts'
import { fileInputs, sentFileOf } from './content-forms.server.ts'

/** `media` is null for a film that is created. */
export function filmMediaView(media: MediaState | null): FilmMediaView {
  return {
    videoUrl: media?.videoUrl ?? '',
    videoFile: sentFileOf(media?.videoFile),
    captions: (media?.captions ?? []).map(({ language, file }) => ({ language, file: sentFileOf(file) })),
    transcript: writeTranscript(media?.transcript ?? []),
    transcriptLanguage: media?.transcriptLanguage ?? usualLanguage,
    transcriptAsCaptions: media?.transcriptAsCaptions ?? false,
    maxVideoBytes: ruleOf('video').maxBytes,
  }
}

/**
 * The stored value of a field of the media, by the names of its inputs. `languages` are those of the captions that the
 * form has; other captions of the film are added to them.
 */
export function mediaInputs(
  field: string,
  media: FilmMediaView,
  languages: string[],
): Record<string, string | string[]> {
  if (field === 'videoFile') return fileInputs('videoFile', media.videoFile)
  if (field === 'captions') {
    const all = new Set([...languages, ...media.captions.map(({ language }) => language)])
    const files = [...all].map((language) => {
      const stored = media.captions.find((one) => one.language === language)
      return fileInputs(captionsField(language), stored?.file ?? null)
    })
    return Object.assign({ captionsFirst: media.captions[0]?.language ?? [] }, ...files)
  }
  const value = filmMediaDefaults(media)[field]
  return { [field]: typeof value === 'string' ? value : value === true ? 'on' : [] }
}
