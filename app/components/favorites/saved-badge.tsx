import { useSavedChange } from './saved.ts'

/** Beside Saved, for five seconds after a change: how many courses, modules and videos are saved. */
export function SavedBadge() {
  const change = useSavedChange()
  if (!change) return null
  return (
    <span className="count count--quiet" aria-hidden="true">
      {change.count}
    </span>
  )
}

/** On My Learning in the bar, only when something was added (L-182). */
export function SavedMark() {
  const change = useSavedChange()
  if (!change?.hasRisen) return null
  return (
    <span className="count count--quiet" aria-hidden="true">
      +
    </span>
  )
}
