import type { UnitRecord } from './registration-state.ts'

/** Which unit a launch opens. Pure. */
export type UnitChoice = { unitUid?: string | null; unitIndex?: number | null; unitPublisherId?: string | null }

type Choosable = { id: number; uid: string; publisherId: string; position: number }

/**
 * The one named, by uid, by its publisher id (a uid of another version, translated) or by its place from 0; else where
 * the learner left off: the unit of the last session while it is not done, else the next one that is not, else the
 * first that is not, else the last one again.
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
