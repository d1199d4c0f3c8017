export type GroupColumn = { id: string; label: string; people: number; note: string }

/** A right and the ids of the groups that have it. */
export type RightRow = { id: string; what: string; groups: string[] }

export type GroupsView = { groups: GroupColumn[]; areas: { id: string; title: string; rights: RightRow[] }[] }

export type FoundEntry = { name: string; more: string; to: string }

/** The question whether a person can see an item, as far as it has been asked, and the answer. */
export type AccessQuestion = {
  kinds: { value: string; label: string }[]
  kind: string
  who: string
  what: string
  person: { uid: string; name: string } | null
  people: FoundEntry[]
  item: { uid: string; name: string } | null
  items: FoundEntry[]
  /** The address without the chosen person, and without the chosen item. */
  otherPerson: string
  otherItem: string
  answer: AccessAnswer | null
}

export type AccessAnswer = {
  isPositive: boolean
  verdict: string
  /** What holds and what does not, one sentence each. `isMet` is null for what changes nothing. */
  reasons: { isMet: boolean | null; text: string }[]
}
