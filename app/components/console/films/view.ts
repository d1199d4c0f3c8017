import type { FilmKindName, FilmPhase } from '~/forms/films.ts'
import type { VideoCategory } from '~/forms/videos.ts'
import type { TextPart } from '~/lib/glossary-words.ts'
import type { FilmTrack } from '../../media/film-player.tsx'
import type { TranscriptView } from '../../media/transcript.tsx'
import type { Phase } from '../../modules/view.ts'
import type { Option } from '../../ui/choice-fields.tsx'
import type { ItemRow } from '../content-columns.tsx'
import type { SentFile } from '../send-file.ts'

/** A lecture or video in the console's table. */
export type FilmRow = ItemRow & {
  isComingSoon: boolean
  category: VideoCategory | null
  phases: FilmPhase[]
  presenter: string
}

/** The choices that the dialogs offer. */
export type FilmChoices = { plans: Option[]; tags: string[] }

export type FilmFiles = { coverImg: SentFile | null }

/** The parts of a saved lecture or video that the dialog shows beside its form. */
export type SavedFilmView = { uid: string; status: 'draft' | 'published'; revision: number }

/** The film of a form as learners would see it. */
export type FilmPreviewView = {
  kind: FilmKindName
  name: string
  description: TextPart[]
  presenter: string
  /** The category of a video. */
  eyebrow: string | null
  phase: Phase | null
  tags: string[]
  src: string
  /** The film is an uploaded file, saved or not. */
  isFile: boolean
  /** In seconds; null if it is unknown until the film plays. */
  duration: number | null
  tracks: FilmTrack[]
  transcript: TranscriptView
  poster: string
  /** The guiding questions, rendered and sanitized. */
  questions: string
}

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
