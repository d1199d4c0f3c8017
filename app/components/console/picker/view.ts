/** What a two-list picker shows. The server makes it (pages/picker.server.ts). */

export type PickItem = { uid: string; name: string; detail?: string }

/** `problem`: why it cannot be chosen, such as "Already assigned". */
export type PickCandidate = PickItem & { problem: string | null }

export type PickerPage = {
  candidates: PickCandidate[]
  /** Of everything that is found. */
  total: number
  search: string
  page: number
  size: number
}

export type PickerView = PickerPage & {
  chosen: PickItem[]
  /** What Clear took away. */
  cleared: PickItem[]
}
