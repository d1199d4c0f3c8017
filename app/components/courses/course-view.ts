import type { ModuleView } from '../modules/module-view.ts'

/** A course as learners see it, with their own progress; services/read makes it. */
export type CourseView = {
  uid: string
  name: string
  synopsis: string
  /** The uploaded picture; without one, a picture is drawn from the name. */
  cover: { address: string; alt: string } | null
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
  startedOn: string | null
  sections: CourseSection[]
  completedCount: number
  hiddenCount: number
  nextModuleUid: string | null
}

export type CourseSection = { uid: string; name: string; description: string; chapters: CourseChapter[] }
export type CourseChapter = { uid: string; name: string; description: string; modules: ModuleView[] }
