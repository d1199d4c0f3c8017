/** A launch as the viewer shows it; its route makes it. */
export type ViewerLaunch = {
  uid: string
  module: { uid: string; name: string; versionUid: string }
  /** Null once the session has ended. */
  launchUrl: string | null
  exitPath: string
  opensOwnWindow: boolean
  /** Nothing of it is the viewer's own learning: it closes without a menu. */
  isPreview: boolean
  /** Opened by staff in an attempt or mode of their choice: what the bar says, and what opens it so again. */
  staff: { label: string; attempt: string; mode: string } | null
  /** The unit has taken its token: this page was loaded before, and the address works no more. */
  isFetched: boolean
  isCompleted: boolean
  percent: number
  units: ViewerUnit[]
  nextModule: { name: string; versionUid: string } | null
  survey: string | null
  /** Where closing leads. */
  from: string
}

export type ViewerUnit = {
  uid: string
  title: string
  percent: number
  isPassOpen: boolean
  isCurrent: boolean
  /** It opens in another program, and not here. */
  isElsewhere: boolean
}

/** The unit after this one that is not done and can be opened, else the first such; null where there is none. */
export function nextUnitOf(units: ViewerUnit[]): ViewerUnit | null {
  const here = units.findIndex((unit) => unit.isCurrent)
  const isOpen = (unit: ViewerUnit) => !unit.isCurrent && !unit.isElsewhere && unit.percent < 100
  return units.slice(here + 1).find(isOpen) ?? units.find(isOpen) ?? null
}
