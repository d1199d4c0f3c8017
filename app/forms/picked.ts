/**
 * The items that somebody picks from a long list in a form. `chosen` holds the uids in one text field, in the order in
 * which they were added. The form also holds the page of candidates (`search`, `page`) and the items that Clear
 * removed, for Undo (`cleared`).
 */
import { z } from 'zod'
import { pageNumber } from '~/lib/table-query.ts'
import { isUid } from '~/lib/uid.ts'

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

/** Reads a posted form and ignores values that make no sense. */
export function readPicked(values: Record<string, unknown>): Picked {
  const text = (name: string) => (typeof values[name] === 'string' ? (values[name] as string) : '')
  return {
    chosen: readUids(text('chosen')),
    cleared: readUids(text('cleared')),
    search: [...text('search').trim()].slice(0, longestPickSearch).join(''),
    page: pageNumber(text('page')),
  }
}

function readUids(text: string): string[] {
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
