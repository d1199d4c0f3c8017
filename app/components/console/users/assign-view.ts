import type { AssignedKind } from '~/forms/assignments.ts'
import type { BulkView } from '../bulk/view.ts'

/** What the dialog that assigns content shows. */
export type AssignView = {
  operationUid: string
  /** The first of them, and how many they are. */
  people: { uid: string; name: string }[]
  total: number
  /** What is searched for. */
  find: string
  lists: AssignList[]
  /** The values of the ticked boxes. */
  ticked: string[]
  /** The day of the site, before which nothing can be due: 2026-11-03. */
  today: string
  dueOn: string
  note: string
  /** Whether whoever has an item already is to lose its due date. */
  removesDue: boolean
  /** The audience whose people were selected. */
  audience: { uid: string; name: string } | null
  /** Whether whoever joins the audience later is to get the items, too. */
  joins: boolean
}

export type AssignList = {
  kind: AssignedKind
  items: AssignItem[]
  /** What is ticked and not among `items`. */
  elsewhere: AssignItem[]
  total: number
  page: number
  pages: number
}

/** `assigned`: how many of the people have it; `outside`: how many have no plan that includes it. */
export type AssignItem = { uid: string; value: string; name: string; assigned: number; outside: number }

/** What an operation has assigned. */
export type AssigningView = {
  operation: BulkView
  undo: BulkView | null
  canUndo: boolean
  items: { uid: string; kind: AssignedKind; name: string }[]
  /** "Nov 3, 2026" */
  dueOn: string | null
  removesDue: boolean
  note: string | null
  assigned: number
  changed: number
}

export type AssigningLine = {
  uid: string
  /** "Assay" or "Assay and 2 more". */
  what: string
  people: number
  createdOn: string
  by: string
  state: string
}
