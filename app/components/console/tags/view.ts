/** A tag in the console's list. `uses` says where it is used: "3 modules, 1 course". */
export type TagRow = { uid: string; text: string; uses: string }

/** A tag that can be brought back. `how`: "Merged into “Assays”" or "Removed", with the day and the person. */
export type RemovedTagRow = { uid: string; name: string; how: string }

/** An item that carries a tag. `to` is its dialog in the console. */
export type TaggedItemView = { uid: string; name: string; kind: string; to: string }
