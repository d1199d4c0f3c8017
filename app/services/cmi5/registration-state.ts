import {
  applyFact,
  isVisit,
  modulePercent,
  moduleScore,
  newUnitState,
  type UnitFact,
  type UnitState,
} from './unit-state.ts'
import type { MoveOn } from './vocabulary.ts'

/*
 * The state of a registration, computed statement by statement by both live recording and the rebuild. Percent, highest
 * score and completion never fall. Pure: `applyToUnit` returns a new state and does not change the old one.
 */
export type UnitRecord = UnitState & {
  unitId: number
  masteryScore: number | null
  launchParameters: string | null
}

export type RegistrationState = {
  units: ReadonlyMap<number, UnitRecord>
  unitCount: number
  percent: number
  /** The highest mean over the scored units since this computation began. */
  highestScore: number | null
  startedAt: Date | null
  lastVisitedAt: Date | null
  completedAt: Date | null
}

export function stateOf(units: ReadonlyMap<number, UnitRecord>, unitCount: number, percent: number): RegistrationState {
  const highestScore = scoreOf(units)
  return { units, unitCount, percent, highestScore, startedAt: null, lastVisitedAt: null, completedAt: null }
}

export type LaunchedAs = { moveOn: MoveOn; masteryScore: number | null; launchParameters: string | null }

/**
 * Applies a fact to a unit. `launchedAs` holds the settings of the launch for a `launched` fact (cmi5 10.2.3 to
 * 10.2.5), and the unit's defaults for other facts. Launches in Browse and Review do not change the settings.
 */
export function applyToUnit(
  before: RegistrationState,
  unitId: number,
  fact: UnitFact,
  launchedAs: LaunchedAs,
): RegistrationState {
  const known = before.units.get(unitId)
  const unit: UnitRecord = known ?? { unitId, ...launchedAs, ...newUnitState(launchedAs.moveOn) }
  const current = isVisit(fact) ? { ...unit, ...launchedAs } : unit
  const units = new Map(before.units).set(unitId, { ...current, ...applyFact(current, fact) })
  const all = [...units.values()]
  const sum = all.reduce((total, one) => total + one.progress, 0)
  const percent = Math.max(before.percent, modulePercent(sum, before.unitCount))
  const score = scoreOf(units)
  return {
    units,
    unitCount: before.unitCount,
    percent,
    highestScore: score === null ? before.highestScore : Math.max(before.highestScore ?? 0, score),
    // What is stored later may have happened earlier.
    startedAt: isVisit(fact) || fact.verb === 'waived' ? earlier(before.startedAt, fact.at) : before.startedAt,
    lastVisitedAt: isVisit(fact) ? later(before.lastVisitedAt, fact.at) : before.lastVisitedAt,
    completedAt: before.completedAt ?? (percent === 100 ? fact.at : null),
  }
}

function earlier(one: Date | null, other: Date): Date {
  return one !== null && one < other ? one : other
}

function later(one: Date | null, other: Date): Date {
  return one !== null && one > other ? one : other
}

function scoreOf(units: ReadonlyMap<number, UnitRecord>): number | null {
  return moduleScore([...units.values()].flatMap(({ score }) => (score === null ? [] : [score])))
}
