import type { Option } from '../../ui/fields.tsx'
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
  /** Other modules of the same name, without regard to case. */
  namesakes: number
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

/** A row of a module's learner list, and of its CSV file. */
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
