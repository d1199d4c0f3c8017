import type { Option } from '../../ui/choice-fields.tsx'

export type InstitutionFacts = { uid: string; name: string; people: number; isDefault: boolean }
export type InstitutionRow = InstitutionFacts & { learners: number }

/** An institution that can be brought back. `how` says when and by whom it was deleted, and where its people went. */
export type RemovedInstitutionRow = { uid: string; name: string; how: string }

export type InstitutionsView = {
  rows: InstitutionRow[]
  total: number
  page: number
  size: number
  /** Pairs of names that probably mean the same institution. */
  lookalikes: { one: Option; other: Option }[]
  removed: RemovedInstitutionRow[]
}

/** What deleting would do: how many people move, and where; and how many saved views and scheduled reports stop. */
export type ReplacementPreview = {
  institution: string
  name: string
  replacement: string
  to: string
  people: number
  views: number
  schedules: number
  audiences: number
}
