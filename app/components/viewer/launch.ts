/** A launch as the viewer shows it; its route makes it. */
export type ViewerLaunch = {
  uid: string
  module: { uid: string; name: string; versionUid: string }
  /** Null once the session has ended. */
  launchUrl: string | null
  exitPath: string
  opensOwnWindow: boolean
  isPreview: boolean
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

export type ViewerUnit = { uid: string; title: string; percent: number; isCurrent: boolean }

/** The unit after this one that is not done, else the first such; null when all others are. */
export function nextUnitOf(units: ViewerUnit[]): ViewerUnit | null {
  const here = units.findIndex((unit) => unit.isCurrent)
  const isOpen = (unit: ViewerUnit) => !unit.isCurrent && unit.percent < 100
  return units.slice(here + 1).find(isOpen) ?? units.find(isOpen) ?? null
}
