import type { Option } from '../fields.tsx'
import type { SentFile } from '../send-file.ts'

/** What the dialog offers to choose from. */
export type ModuleChoices = { sections: (Option & { options: Option[] })[]; plans: Option[]; tags: string[] }

export type PackageStatus = 'uploaded' | 'processing' | 'parsed' | 'error'

export type VersionView = {
  uid: string
  /** v2 */
  label: string
  status: 'draft' | 'published'
  isLatest: boolean
  author: string | null
  changedOn: string
  publishedOn: string | null
  file: { name: string; address: string; size: string } | null
  package: { status: PackageStatus; message: string | null } | null
}

/** A module that was saved, as far as the dialog shows it beside its form. */
export type SavedModuleView = {
  uid: string
  name: string
  status: 'draft' | 'published'
  isComingSoon: boolean
  revision: number
  latest: VersionView | null
  versions: VersionView[]
  people: { inProgress: number; openNow: number; inOtherVersions: number }
}

export type ModuleFiles = { coverImg: SentFile | null; cmi5Zip: SentFile | null }

/** A row of the modules table. */
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

/** A row of a module's learner list, and of its CSV file. */
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
