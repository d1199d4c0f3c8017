import type { UnitRecord } from './registration-state.ts'

/** The unit that a launch asks for. Pure. */
export type UnitChoice = { unitUid?: string | null; unitIndex?: number | null; unitPublisherId?: string | null }

type Choosable = { id: number; uid: string; publisherId: string; position: number }

/**
 * Returns the unit that is named by uid, publisher id (mapped from a uid of another version) or index from 0. If none
 * is named, returns the unit where the learner left off: the last unit while it is not done, else the next unit that is
 * not done, else the first that is not done, else the last unit again.
 */
export function chooseUnit<U extends Choosable>(
  units: U[],
  choice: UnitChoice,
  history: { records: ReadonlyMap<number, UnitRecord>; lastUnitId: number | null } | null,
): U | null {
  if (choice.unitUid || choice.unitPublisherId) {
    return (
      units.find((unit) => unit.uid === choice.unitUid) ??
      units.find((unit) => unit.publisherId === choice.unitPublisherId) ??
      null
    )
  }
  if (hasIndex(choice)) return units[choice.unitIndex] ?? null
  const isOpen = (unit: U) => (history?.records.get(unit.id)?.progress ?? 0) < 100
  const last = units.find((unit) => unit.id === history?.lastUnitId)
  const after = last ? units.filter((unit) => unit.position >= last.position) : units
  return after.find(isOpen) ?? units.find(isOpen) ?? last ?? units[0] ?? null
}

export function isUnitNamed(choice: UnitChoice): boolean {
  return Boolean(choice.unitUid || choice.unitPublisherId) || hasIndex(choice)
}

function hasIndex(choice: UnitChoice): choice is UnitChoice & { unitIndex: number } {
  return choice.unitIndex !== undefined && choice.unitIndex !== null
}
