/**
 * The items that somebody picks from a long list in a form. The picker's field holds the uids as one text, in the order
 * in which they were added. The form also posts what the picker needs without JavaScript (`pickerNames`).
 */
import { z } from 'zod'
import { pageNumber } from '~/lib/table-query.ts'
import { isUid } from '~/lib/uid.ts'

/**
 * The names of what a picker posts beside its field: the page of candidates that is shown, what Clear took away (for
 * Undo), and the button. They begin with the field, so that a form can have two pickers.
 */
export function pickerNames(field: string) {
  return {
    search: `${field}-picker-search`,
    page: `${field}-picker-page`,
    cleared: `${field}-picker-cleared`,
    button: `${field}-picker-button`,
    filter: (name: string) => `${field}-picker-filter-${name}`,
  }
}

/** True for what only says what a picker shows. It is not part of anybody's work. */
export function isPickerState(name: string): boolean {
  return /-picker-(search|page|cleared|filter-[a-z]+)$/.test(name)
}

/** Which candidates a picker shows: those that hold the search and have the chosen value of each filter. */
export type PickerShown = { search: string; page: number; filters: Record<string, string> }

export type Picked = PickerShown & { chosen: string[]; cleared: string[] }

/** What a button of the plain form does. For results, the server finds the uids. */
export type PickStep =
  | { kind: 'add'; uids: string[] }
  | { kind: 'remove'; uid: string }
  | { kind: 'clear' }
  | { kind: 'undo' }

/** Applies a step. It adds as many items as fit, in their order. Items that are already chosen stay where they are. */
export function applyPick({ chosen, cleared }: Pick<Picked, 'chosen' | 'cleared'>, step: PickStep, most: number) {
  switch (step.kind) {
    case 'add':
      return { chosen: [...new Set([...chosen, ...step.uids])].slice(0, Math.max(most, chosen.length)), cleared: [] }
    case 'remove':
      return { chosen: chosen.filter((uid) => uid !== step.uid), cleared: [] }
    case 'clear':
      return { chosen: [], cleared: chosen }
    case 'undo':
      return { chosen: [...new Set([...cleared, ...chosen])].slice(0, most), cleared: [] }
  }
}

export const longestPickSearch = 100

/** Reads the picker of this field in a posted form and ignores values that make no sense. */
export function readPicked(values: Record<string, unknown>, field: string, filters: string[] = []): Picked {
  const names = pickerNames(field)
  return {
    chosen: readUids(textOf(values[field])),
    cleared: readUids(textOf(values[names.cleared])),
    ...readPickerShown(
      (name) => values[name === 'search' || name === 'page' ? names[name] : names.filter(name)],
      filters,
    ),
  }
}

/** The candidates that an address or a form asks for. `filters` names the filters of the picker. */
export function readPickerShown(read: (name: string) => unknown, filters: string[]): PickerShown {
  const [search, page] = [read('search'), read('page')]
  return {
    search: [...textOf(search).trim()].slice(0, longestPickSearch).join(''),
    page: pageNumber(textOf(page)),
    filters: Object.fromEntries(filters.map((name) => [name, textOf(read(name))]).filter(([, value]) => value !== '')),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Reads uids that a form sends as one text. */
export function readUids(text: string): string[] {
  return [...new Set(text.toLowerCase().split(/\s+/).filter(isUid))]
}

/** The field of a picker in a form's schema. */
export function pickedField({ most, required }: { most: number; required?: string }) {
  return z
    .string()
    .default('')
    .transform(readUids)
    .refine((uids) => uids.length <= most, `At most ${most.toLocaleString('en')} can be chosen`)
    .refine((uids) => required === undefined || uids.length > 0, required)
}
