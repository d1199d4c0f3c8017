/**
 * Names and values that fields send beside their plain values. Pages and schemas share them without loading a schema.
 */

/** The values of "All" and "Other" in a choice of several. They cannot be mistaken for uids. */
export const allOfThem = 'all'
export const anotherOne = 'other'

/** Returns the name of the text field beside "Other". */
export function otherFieldOf(name: string): string {
  return `${name}Other`
}

/** Sent for a date that is only partly typed. The input itself would send nothing, as if it were empty. */
export const incompleteDate = 'incomplete'
