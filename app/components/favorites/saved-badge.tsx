import { useSavedChange } from './saved.ts'

/** Shows the number of saved courses, modules and videos beside Saved, for five seconds after a change. */
export function SavedBadge() {
  const change = useSavedChange()
  if (!change) return null
  return (
    <span className="count count--quiet" aria-hidden="true">
      {change.count}
    </span>
  )
}

/** Marks My Learning in the bar for five seconds, only after something was added (L-182). */
export function SavedMark() {
  const change = useSavedChange()
  if (!change?.hasRisen) return null
  return (
    <span className="count count--quiet" aria-hidden="true">
      +
    </span>
  )
}
