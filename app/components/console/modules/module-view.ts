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
export type SavedModule = {
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
