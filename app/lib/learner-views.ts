/** Content as learners see it, with their own progress: services/read makes it and the pages show it. */
type Phase = 'discover' | 'develop' | 'deliver'
/** The uploaded picture; without one, a picture is drawn from the name. */
type Cover = { address: string; alt: string }

export type ModuleView = {
  uid: string
  name: string
  description: string
  /** The step of the process that it belongs to, and the phase whose colour it wears. */
  step: string | null
  phase: Phase | null
  cover: Cover | null
  unitCount: number
  isComingSoon: boolean
  /** What a launch names; null where there is nothing to open. */
  versionUid: string | null
  /** There is, but what is left of it opens in another program, and not here. */
  isElsewhere: boolean
  /** Null before the first opening. */
  percent: number | null
  retakingPercent: number | null
  highestScore: number | null
  isSaved: boolean
}

/** A lecture or a video. */
export type FilmView = {
  kind: 'lecture' | 'video'
  uid: string
  name: string
  description: string
  /** The step of the process of a lecture, the category of a video. */
  eyebrow: string | null
  /** Who speaks; empty where nobody is named. */
  presenter: string
  phase: Phase | null
  cover: Cover | null
  /** In seconds; null where nobody knows. */
  duration: number | null
  isComingSoon: boolean
  isOpenable: boolean
  /** Null before the first time. */
  percent: number | null
  positionSeconds: number
  isSaved: boolean
}

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

export type ContentKind = 'course' | 'module' | 'video' | 'lecture'

/** Of the list of everything. */
export type ContentItem = {
  kind: ContentKind
  uid: string
  name: string
  text: string
  isComingSoon: boolean
  isSaved: boolean
  cover: Cover | null
}
