/** Rows of the console's tables: services/read makes them, tables and files show them. */
export type ModuleTableRow = {
  uid: string
  name: string
  status: 'draft' | 'published'
  /** The latest version is a draft, and learners still open an earlier one. */
  isOlderLive: boolean
  isComingSoon: boolean
  tags: string[]
  plans: string[]
  /** First name and last initial; null without a version, or where its author is gone. */
  author: string | null
  version: number | null
  /** On the site's calendar, and in milliseconds to sort by. */
  updatedOn: string
  updatedAt: number
  completions: number
  averageScore: number | null
  /** The version that a preview opens; null where there is nothing to open. */
  previewUid: string | null
}

export type ModuleLearnerRow = {
  uid: string
  name: string
  email: string
  /** On the site's calendar, and in milliseconds to sort by. */
  startedOn: string
  startedAt: number
  completedOn: string | null
  completedAt: number | null
  percent: number
  score: number | null
}
