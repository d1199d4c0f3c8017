import type { Cover, ModuleView } from '../modules/view.ts'

export type CourseView = {
  uid: string
  name: string
  synopsis: string
  cover: Cover | null
  moduleCount: number
  isPublished: boolean
  percent: number
  isStarted: boolean
  isCompleted: boolean
  isSaved: boolean
}

export type CourseDetails = CourseView & {
  description: string
  learningObjectives: string[]
  bannerAddress: string | null
  sections: CourseSection[]
  completedCount: number
  /** In the course and not for this viewer: of another plan, or not published. */
  hiddenCount: number
  /** Where to go on: of what is begun the module visited last, else the first that is not completed; null when there is none. */
  nextModuleUid: string | null
}

export type CourseSection = { uid: string; name: string; description: string; chapters: CourseChapter[] }
export type CourseChapter = { uid: string; name: string; description: string; modules: ModuleView[] }
