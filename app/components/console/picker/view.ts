/** The data of a two-list picker, made by pages/picker.server.ts. */

export type PickItem = { uid: string; name: string; detail?: string }

/** `problem` says why the item cannot be chosen, such as "Already assigned". */
export type PickCandidate = PickItem & { problem: string | null }

/** A choice that narrows the candidates, beside the search. An empty `value` means all of them. */
export type PickFilter = { name: string; label: string; options: { value: string; label: string }[]; value: string }

export type PickerPage = {
  candidates: PickCandidate[]
  /** The number of candidates found. */
  total: number
  search: string
  filters?: PickFilter[]
  page: number
  size: number
}

export type PickerView = PickerPage & {
  chosen: PickItem[]
  /** The items that Clear removed. */
  cleared: PickItem[]
  /** After "Add all": the items found that can be chosen. */
  all?: PickItem[]
  /** After "Add all": how many of the items found were left out because they cannot be chosen. */
  leftOut?: number
}
