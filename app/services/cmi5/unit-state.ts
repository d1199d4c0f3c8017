import type { Result } from '../xapi/xapi.server.ts'
import { type LaunchMode, type MoveOn, resultExtensions, type VerbName } from './vocabulary.ts'

/*
 * The state of one unit in one registration, computed statement by statement. Live recording and the rebuild both use
 * `applyFact`, so they get the same result. Pure.
 */
export type UnitState = {
  moveOn: MoveOn
  /** The highest `progress` reported so far; null if none was reported. */
  reported: number | null
  progress: number
  score: number | null
  completedAt: Date | null
  passedAt: Date | null
  failedAt: Date | null
  waivedAt: Date | null
  waiveReason: string | null
  satisfiedAt: Date | null
  seconds: number
  lastVisitedAt: Date | null
}

export type UnitFact = {
  /** Null for a statement that is not cmi5 defined. */
  verb: VerbName | null
  at: Date
  mode: LaunchMode
  progress?: number
  score?: number
  seconds?: number
  /** For `abandoned`: the unit had sent `initialized`, so the learner saw it. */
  wasInitialized?: boolean
  /** The reason for waiving the unit. */
  reason?: string | null
}

export function newUnitState(moveOn: MoveOn): UnitState {
  return {
    moveOn,
    reported: null,
    progress: 0,
    score: null,
    completedAt: null,
    passedAt: null,
    failedAt: null,
    waivedAt: null,
    waiveReason: null,
    satisfiedAt: null,
    seconds: 0,
    lastVisitedAt: null,
  }
}

/**
 * Tells whether the unit meets its moveOn criterion (cmi5 13.1.4). A waived unit is met whatever its moveOn (9.3.7).
 */
export function isMoveOnMet(unit: Pick<UnitState, 'moveOn' | 'completedAt' | 'passedAt' | 'waivedAt'>): boolean {
  if (unit.waivedAt) return true
  const { completedAt, passedAt } = unit
  switch (unit.moveOn) {
    case 'NotApplicable':
      return true
    case 'Passed':
      return passedAt !== null
    case 'Completed':
      return completedAt !== null
    case 'CompletedAndPassed':
      return completedAt !== null && passedAt !== null
    case 'CompletedOrPassed':
      return completedAt !== null || passedAt !== null
  }
}

export function applyFact(before: UnitState, fact: UnitFact): UnitState {
  const unit = { ...before }
  if (isVisit(fact)) unit.lastVisitedAt = fact.at
  if (fact.verb === 'waived' && unit.waivedAt === null) {
    unit.waivedAt = fact.at
    unit.waiveReason = fact.reason ?? null
  }
  // Statements sent in Browse and Review do not count (cmi5 10.2.2; docs/decisions/013).
  if (fact.mode === 'Normal') applyReport(unit, fact)
  // A launch with another moveOn can make the unit unsatisfied again, so that there is something to do.
  unit.satisfiedAt = isMoveOnMet(unit) ? (unit.satisfiedAt ?? fact.at) : null
  unit.progress = Math.max(unit.progress, percentOf(unit))
  return unit
}

/** Launches in Browse and Review do not count as visits. */
export function isVisit({ verb, mode }: UnitFact): boolean {
  return verb === 'launched' && mode === 'Normal'
}

function applyReport(unit: UnitState, fact: UnitFact): void {
  if (fact.verb === 'terminated' || fact.verb === 'abandoned') unit.seconds += fact.seconds ?? 0
  if (fact.progress !== undefined) unit.reported = Math.max(unit.reported ?? 0, fact.progress)
  if (fact.verb === 'completed') unit.completedAt ??= fact.at
  if (fact.verb === 'passed') unit.passedAt ??= fact.at
  if (fact.verb === 'failed') unit.failedAt = fact.at
  if ((fact.verb === 'passed' || fact.verb === 'failed') && fact.score !== undefined) {
    unit.score = Math.max(unit.score ?? 0, fact.score)
  }
  // The criterion of a NotApplicable unit is always met, so the unit is done once it has ended.
  const hasEnded = fact.verb === 'terminated' || (fact.verb === 'abandoned' && fact.wasInitialized)
  if (hasEnded && unit.moveOn === 'NotApplicable') unit.progress = 100
}

/**
 * Returns 100 if the unit is done: its moveOn criterion is met, or it is waived. A NotApplicable unit is done when it has
 * ended or reported completion. Until then it is the highest progress reported, at most 99; `completed` reports 100 (cmi5
 * 9.5.5.1).
 */
function percentOf(unit: UnitState): number {
  const isDone =
    unit.moveOn === 'NotApplicable' ? unit.completedAt !== null || unit.waivedAt !== null : isMoveOnMet(unit)
  if (isDone) return 100
  return unit.completedAt ? 99 : Math.min(unit.reported ?? 0, 99)
}

/** Returns the mean, rounded down. No unit exceeds 100, so the result is 100 only if all units are at 100. */
export function modulePercent(sumOfPercents: number, units: number): number {
  return units === 0 ? 0 : Math.floor(sumOfPercents / units)
}

/** Returns the mean of the units' best scores, in percent with two decimals. */
export function moduleScore(scores: number[]): number | null {
  if (scores.length === 0) return null
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length
  return Math.round(mean * 10_000) / 100
}

/** Returns the figures of a result that count: reported progress, and the score scaled to 0..1. */
export function figuresOf(result: Result | undefined): Pick<UnitFact, 'progress' | 'score'> {
  const progress = result?.extensions?.[resultExtensions.progress]
  const score = scaledOf(result?.score)
  return {
    ...(typeof progress === 'number' && { progress: Math.min(100, Math.max(0, Math.floor(progress))) }),
    ...(score !== undefined && { score }),
  }
}

function scaledOf(score: Result['score']): number | undefined {
  if (!score) return undefined
  const { scaled, raw, min, max } = score
  if (scaled !== undefined) return Math.min(1, Math.max(0, scaled))
  if (raw === undefined || min === undefined || max === undefined) return undefined
  // Rounds to nine decimals, so that 2.1 of 3 is exactly 0.7.
  return Math.round(((raw - min) / (max - min)) * 1e9) / 1e9
}
