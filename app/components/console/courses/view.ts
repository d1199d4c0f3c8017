import type { Option } from '../../ui/choice-fields.tsx'
import type { PickerView } from '../picker/view.ts'
import type { SentFile } from '../send-file.ts'

/** The choices that the dialog offers. */
export type CourseChoices = { plans: Option[]; tags: string[] }

export type CourseFiles = { coverImg: SentFile | null; bannerImg: SentFile | null }

/** The parts of a saved course that the dialog shows beside its form. */
export type SavedCourseView = {
  uid: string
  status: 'draft' | 'published'
  /** v2: what staff edit. */
  latest: string | null
  /** v1: what learners see; null if they see nothing. */
  live: string | null
  revision: number
}

/** The picker of modules that is open, and the chapter that they go to. */
export type PickingModules = { chapter: string; picker: PickerView }

/** A module in the builder. `plans` are the groups that may open it. */
export type BuilderModule = {
  uid: string
  name: string
  status: 'draft' | 'published'
  /** A newer version than the published one is a draft. */
  isBehind: boolean
  /** Announced: learners see it in lists and cannot open it. */
  isComingSoon: boolean
  planUids: string[]
  plans: string[]
}
