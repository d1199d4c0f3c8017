/** Rows of the console's tables: services/read makes them, tables and files show them. */
export type ModuleTableRow = {
  uid: string
  name: string
  status: 'draft' | 'published'
  /** The version that learners open while the latest one is a draft; null otherwise. */
  olderLive: number | null
  isComingSoon: boolean
  tags: string[]
  plans: string[]
  /** What the row can be filtered by, beside its status: uids. */
  planUids: string[]
  sectionUid: string | null
  authorUid: string | null
  /** First name and last initial; null without a version, or where its author is gone. */
  author: string | null
  version: number | null
  /** In the site's time zone, and in milliseconds to sort by. */
  updatedOn: string
  updatedAt: number
  completions: number
  averageScore: number | null
  /** The version that a preview opens; null where there is none. */
  previewUid: string | null
  /** How reading the latest package went; null where there is none. */
  packageStatus: 'uploaded' | 'processing' | 'parsed' | 'error' | null
}

export type ModuleLearnerRow = {
  uid: string
  name: string
  email: string
  /** In the site's time zone, and in milliseconds to sort by. */
  startedOn: string
  startedAt: number
  completedOn: string | null
  completedAt: number | null
  percent: number
  score: number | null
  /** Has a unit of it open right now. */
  isOpen: boolean
  planUid: string | null
}

/** A choice of a table's filter. */
export type FilterOption = { value: string; label: string }
