import type { Option } from '../../ui/choice-fields.tsx'

export type PreviewLinkRow = { uid: string; text: string }

export type PreviewsView = {
  noun: 'Course' | 'Lecture' | 'Video'
  name: string
  closeTo: string
  /** The uid of the link that the form would make, so that a double click makes one. */
  uid: string
  /** The plan that is chosen at first: one that can open it, if there is one. */
  planUid: string
  plans: (Option & { address: string })[]
  links: PreviewLinkRow[]
}
