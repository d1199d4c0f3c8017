import type { FilmKindName, FilmPhase } from '~/forms/films.ts'
import type { VideoCategory } from '~/forms/videos.ts'
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
  description: string
  presenter: string
  /** The category of a video. */
  eyebrow: string | null
  phase: Phase | null
  tags: string[]
  src: string
  /** In seconds; null if it is unknown until the film plays. */
  duration: number | null
  poster: string
  /** The guiding questions, rendered and sanitized. */
  questions: string
  /** The address of its captions, where it is saved and has some. */
  captions?: string | null
}
