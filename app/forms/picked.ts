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
  }
}

/** True for what only says what a picker shows. It is not part of anybody's work. */
export function isPickerState(name: string): boolean {
  return /-picker-(search|page|cleared)$/.test(name)
}

export type Picked = { chosen: string[]; cleared: string[]; search: string; page: number }

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
export function readPicked(values: Record<string, unknown>, field: string): Picked {
  const names = pickerNames(field)
  return {
    chosen: readUids(textOf(values[field])),
    cleared: readUids(textOf(values[names.cleared])),
    ...readPickerPage({ search: values[names.search], page: values[names.page] }),
  }
}

/** The page of candidates that an address or a form asks for. */
export function readPickerPage({ search, page }: { search: unknown; page: unknown }): Pick<Picked, 'search' | 'page'> {
  return {
    search: [...textOf(search).trim()].slice(0, longestPickSearch).join(''),
    page: pageNumber(textOf(page)),
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
