import type { FailedTest } from '~/lib/failed-test.ts'

/** The data of a launch for the viewer, made by its route. */
export type ViewerLaunch = {
  uid: string
  module: { uid: string; name: string; versionUid: string }
  /** Null once the session has ended. */
  launchUrl: string | null
  /** The same on a shared origin, for browsers that cannot reach `launchUrl`. Null where every browser can. */
  fallbackUrl: string | null
  exitPath: string
  /** In the viewer's frame, in a window of ours, or in a window without any tie to the viewer. */
  opening: 'frame' | 'window' | 'alone'
  /** This page is such a window of ours, and the viewer is behind it. */
  isInWindow: boolean
  /** A preview does not count as the viewer's own learning, and closes without a menu. */
  isPreview: boolean
  /** Set if staff chose the attempt or the mode: the label for the bar, and the values to launch it again. */
  staff: { label: string; attempt: string; mode: string } | null
  /** The unit has fetched its token, so the page has been loaded before and the address no longer works. */
  isFetched: boolean
  /** The unit has said that the learner left it. */
  isLeft: boolean
  isCompleted: boolean
  percent: number
  units: ViewerUnit[]
  nextModule: { name: string; versionUid: string } | null
  /** It was opened from a course. The end has a menu then, also after the last module. */
  isFromCourse: boolean
  survey: string | null
  /** The address that closing the viewer leads to. */
  from: string
}

export type ViewerUnit = {
  uid: string
  title: string
  /** The titles of the blocks that the unit is in; null if it is in none. */
  block: string | null
  percent: number
  /** The best, in percent. */
  score: number | null
  failedTest: FailedTest
  isCurrent: boolean
  /** The unit opens in another program and not here. */
  isElsewhere: boolean
}

export function completedText(moduleName: string): string {
  return `Completed viewing module: ${moduleName}`
}

/**
 * Returns the next unit that is not satisfied and can be opened here, or else the first such unit; null if there is
 * none.
 */
export function nextUnitOf(units: ViewerUnit[]): ViewerUnit | null {
  const here = units.findIndex((unit) => unit.isCurrent)
  const isOpen = (unit: ViewerUnit) => !unit.isCurrent && !unit.isElsewhere && unit.percent < 100
  return units.slice(here + 1).find(isOpen) ?? units.find(isOpen) ?? null
}
