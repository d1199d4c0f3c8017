/** A learner's attempts at a module, as staff see them. Times are text in the site's time zone. */
export type AttemptSummary = {
  registrationUid: string
  number: number | null
  isPreview: boolean
  version: number
  versionUid: string
  /** Null if nothing was launched in it. */
  startedAt: string | null
  lastVisitedAt: string | null
  percent: number
  score: number | null
  isOpen: boolean
  isSatisfied: boolean
  movedToVersion: number | null
  sessionCount: number
}

export type UnitRecord = {
  uid: string
  title: string
  state: string
  percent: number
  score: number | null
  time: string | null
  waiveReason: string | null
  isMet: boolean
  isElsewhere: boolean
  lastVisitedAt: string | null
}

export type SessionRecord = {
  uid: string
  unit: string
  mode: string
  launchedBy: string | null
  state: 'open' | 'terminated' | 'abandoned'
  /** The launch is over, its unit never started, and no staff member ended it. */
  isUnbegun: boolean
  /** Null if the learner caused it, or the cause is not known. */
  abandonedBy: { what: 'staff'; who: string } | { what: 'launch' | 'attempt' | 'time'; who: null } | null
  launchedAt: string
  initializedAt: string | null
  endedAt: string | null
  lastSeenAt: string
  time: string | null
}

export type StatementRecord = {
  seq: number
  at: string
  isVoided: boolean
  /** Made in a launch that never began. */
  isOfUnbegunLaunch: boolean
  words: { actor: string; verb: string; object: string; details: string[]; sentence: string }
  json: string
}

export type AttemptRecords = AttemptSummary & {
  units: UnitRecord[]
  sessions: SessionRecord[]
  statements: StatementRecord[]
  before: string | null
  next: string | null
}

export function nameOfAttempt({ number }: Pick<AttemptSummary, 'number'>): string {
  return number === null ? 'Preview' : `Attempt ${number}`
}
