/** What fields send beside their plain values. Pages and schemas agree on it here, without loading a schema. */

/** What "All" and "Other" of a choice of several are called. No uid is. */
export const allOfThem = 'all'
export const anotherOne = 'other'

/** The name of the field for what is typed beside "Other". */
export function otherFieldOf(name: string): string {
  return `${name}Other`
}

/** What is sent of a date that was typed in part. The input itself would send nothing, as if nobody had typed anything. */
export const incompleteDate = 'incomplete'
