import type { SentFile } from '../send-file.ts'

/** The media of a film, as its form shows them. */
export type FilmMediaView = {
  videoUrl: string
  videoFile: SentFile | null
  /** The first is shown by default. */
  captions: { language: string; file: SentFile }[]
  /** Lines with times, as in lib/transcript.ts. */
  transcript: string
  transcriptLanguage: string
  transcriptAsCaptions: boolean
  /** The limit of this installation. */
  maxVideoBytes: number
}

/** The initial values of the fields, for the `defaults` of a ConsoleForm. */
export function filmMediaDefaults(media: FilmMediaView): Record<string, unknown> {
  return {
    videoSource: media.videoFile ? 'file' : 'address',
    videoUrl: media.videoUrl,
    captionsFirst: media.captions[0]?.language,
    transcript: media.transcript,
    transcriptLanguage: media.transcriptLanguage,
    transcriptAsCaptions: media.transcriptAsCaptions,
  }
}
