/** Returns "3 learners are in the middle of this module, 1 of them right now"; null if there are none. */
export function peopleInWords({ inProgress, openNow }: { inProgress: number; openNow: number }): string | null {
  if (inProgress === 0) return null
  const learners = inProgress === 1 ? '1 learner is' : `${inProgress.toLocaleString('en')} learners are`
  const ofThem = inProgress === 1 ? ' right now' : `, ${openNow.toLocaleString('en')} of them right now`
  return `${learners} in the middle of this module${openNow === 0 ? '' : ofThem}`
}
