import type { ListPart, TextPart } from '~/lib/differences.ts'

/** One changed field: a text with its differences, two values side by side, or what changed in a list. */
export type FieldChange = { label: string } & (
  | { kind: 'words'; parts: TextPart[] }
  /** Empty for no value. */
  | { kind: 'value'; before: string; after: string }
  | { kind: 'list'; items: ListItem[] }
)

export type ListItem = { text: string; is: ListPart<unknown>['is'] | 'renamed' }

export type RevisionView = {
  id: number
  /** "Saved", "Published" … */
  what: string
  by: string
  /** In the site's time zone. */
  at: string
  changes: FieldChange[]
  isPresent: boolean
  /** The dialog that brings this revision back; null where that is not possible. */
  restore: string | null
}

export type HistoryView = {
  name: string
  noun: string
  isDeleted: boolean
  /** The page of the history itself. */
  path: string
  closeTo: string
  revisions: RevisionView[]
  page: number
  size: number
  total: number
}

export type RestoreView = {
  name: string
  noun: string
  closeTo: string
  /** The present revision, which the form sends back. */
  opened: number
  /** The key of when a message goes out, which the form sends back. */
  shownTimes?: string
  /** Who saved the earlier revision, and when in the site's time zone; null if nobody knows. */
  saved: { by: string; at: string } | null
  /** From the present state to the earlier one. */
  changes: FieldChange[]
  leftOut: string[]
}
