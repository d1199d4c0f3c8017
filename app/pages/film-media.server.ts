/** The media of a film for its form. */
import type { FilmMediaView } from '~/components/console/films/view.ts'
import { usualLanguage } from '~/lib/caption-languages.ts'
import { fileAddress } from '~/lib/file-address.ts'
import { writeTranscript } from '~/lib/transcript.ts'
import type { MediaFile, MediaState } from '~/services/films/media-state.server.ts'
import { ruleOf } from '~/services/uploads/rules.server.ts'

/** `media` is null for a film that is created. */
export function filmMediaView(media: MediaState | null): FilmMediaView {
  return {
    videoUrl: media?.videoUrl ?? '',
    videoFile: media?.videoFile ? toFile(media.videoFile) : null,
    captions: (media?.captions ?? []).map(({ language, file }) => ({ language, file: toFile(file) })),
    transcript: writeTranscript(media?.transcript ?? []),
    transcriptLanguage: media?.transcriptLanguage ?? usualLanguage,
    transcriptAsCaptions: media?.transcriptAsCaptions ?? false,
    maxVideoBytes: ruleOf('video').maxBytes,
  }
}

function toFile({ name, originalFileName, size }: MediaFile) {
  return { name, originalFileName, size, url: fileAddress(name) }
}
