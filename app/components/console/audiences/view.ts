/** What the pages about audiences show. Dates are formatted in the site's time zone. */
import type { About } from '~/forms/audiences.ts'
import type { Option } from '../../ui/choice-fields.tsx'
import type { PickerView } from '../picker/view.ts'

export type AudienceRow = {
  uid: string
  name: string
  /** The conditions in words. */
  words: string[]
  /** True if something that a condition names no longer exists. */
  hasGone: boolean
  people: number
  updatedOn: string
}

export type AudiencesView = {
  rows: AudienceRow[]
  total: number
  page: number
  size: number
  removed: { uid: string; name: string; how: string }[]
}

/** A condition in the dialog. Its values are those of the form. */
export type ConditionRow = { key: string; about: About; picker: PickerView | null }

export type AudienceFormView = {
  /** For a new audience, the uid that it will get. */
  uid: string
  revision: number
  /** The values of the form's fields. */
  defaults: Record<string, string | string[]>
  rows: ConditionRow[]
  /** The values to choose from, of conditions that list them. */
  options: Partial<Record<About, Option[]>>
  count: number | null
  hasGone: boolean
}

/** What an action adds to a form that comes back. */
export type ReturnedRows = { rows: ConditionRow[]; count: number | null; opened: string | null }

export type PersonRow = { uid: string; name: string; email: string; institution: string | null; plan: string | null }

export type StandingRow = { uid: string; what: string; since: string; joined: number }

export type AudiencePeopleView = {
  audience: AudienceRow
  rows: PersonRow[]
  total: number
  page: number
  size: number
  /** What whoever joins later gets. */
  standing: StandingRow[]
  /** What was searched for to explain somebody's membership, and who was found; null without a search. */
  explain: { search: string; people: { uid: string; name: string; email: string; isIn: boolean }[] } | null
}

export type WhyView = {
  audienceUid: string
  audience: string
  person: { uid: string; name: string; email: string }
  isIn: boolean
  account: 'disabled' | 'invited' | null
  conditions: { condition: string; isMet: boolean; own: string }[]
}
