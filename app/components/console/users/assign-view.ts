import type { AssignedKind } from '~/forms/assignments.ts'

/** What the dialog that assigns content shows. */
export type AssignView = {
  operationUid: string
  people: { uid: string; name: string }[]
  /** What is searched for. */
  find: string
  lists: AssignList[]
  /** The values of the ticked boxes. */
  ticked: string[]
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
