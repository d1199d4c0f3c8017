import type { TextPart } from '~/lib/glossary-words.ts'
import type { Cover, ModuleView } from '../modules/view.ts'

export type CourseView = {
  uid: string
  name: string
  synopsis: string
  cover: Cover | null
  moduleCount: number
  /** "About 25 min" or, if some modules are not counted, "At least 25 min"; null if it is not known. */
  duration: string | null
  isPublished: boolean
  percent: number
  isStarted: boolean
  isCompleted: boolean
  isSaved: boolean
}

export type CourseDetails = CourseView & {
  /** The synopsis, if it has no description. */
  description: TextPart[]
  learningObjectives: string[]
  bannerAddress: string | null
  sections: CourseSection[]
  /** The modules that count for this viewer, and how many of them are completed. */
  countedCount: number
  completedCount: number
  /** The number of modules that this viewer does not see, because of the plan or because they are not published. */
  hiddenCount: number
  /**
   * The module to continue with: the one visited last of those in progress, else the first that is not completed; null
   * if there is none.
   */
  nextModuleUid: string | null
}

/** `number` counts all sections of the course, also those of which the viewer sees nothing. */
export type CourseSection = {
  uid: string
  number: number
  name: string
  description: TextPart[]
  chapters: CourseChapter[]
}
export type CourseChapter = { uid: string; name: string; description: TextPart[]; modules: ModuleView[] }
