/** What the removal of content would mean, in words. */

export function counted(number: number, one: string, many: string): string {
  return number === 1 ? `1 ${one}` : `${number.toLocaleString('en')} ${many}`
}

/** Learners in the middle of something; null if there are none. */
export function inProgressInWords({ inProgress }: { inProgress: number }, noun: string): string | null {
  return inProgress === 0 ? null : `${counted(inProgress, 'learner is', 'learners are')} in the middle of this ${noun}`
}
