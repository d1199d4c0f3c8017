import type { Option } from '../../ui/choice-fields.tsx'
import type { ContentRow } from '../content-columns.tsx'
import type { SentFile } from '../send-file.ts'

/** The choices that the dialog offers. */
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

/** The parts of a saved module that the dialog shows beside its form. */
export type SavedModuleView = {
  uid: string
  name: string
  status: 'draft' | 'published'
  isComingSoon: boolean
  /** How long its package takes: "About 25 min"; null if it has no estimate. */
  estimate: string | null
  revision: number
  latest: VersionView | null
  versions: VersionView[]
  people: { inProgress: number; openNow: number; inOtherVersions: number }
}

export type ModuleFiles = { coverImg: SentFile | null; cmi5Zip: SentFile | null }

/** A row of the modules table. */
export type ModuleTableRow = ContentRow & {
  isComingSoon: boolean
  sectionUid: string | null
  completions: number
  averageScore: number | null
  /** The version that a preview opens; null if there is none. */
  previewUid: string | null
  /** The state of the latest package; null if there is none. */
  packageStatus: 'uploaded' | 'processing' | 'parsed' | 'error' | null
}

/** A row of a module's learner list, and of its CSV file. */
export type ModuleLearnerRow = {
  uid: string
  name: string
  email: string
  /** Dates in the site's time zone, and the same in milliseconds for sorting. */
  startedOn: string
  startedAt: number
  completedOn: string | null
  completedAt: number | null
  percent: number
  score: number | null
  /** The learner has a unit of the module open right now. */
  isOpen: boolean
  /** The learner failed a test lately that must be passed. */
  isFailing: boolean
  planUid: string | null
}
