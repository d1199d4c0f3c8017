/**
 * What somebody picks from a long list, in a form: `chosen` holds the uids in one text field, in the order in which they were added. Beside it
 * stand the page of candidates that is shown (`search`, `page`) and what Clear took away, for Undo (`cleared`).
 */
import { z } from 'zod'
import { pageNumber } from '~/lib/table-query.ts'
import { isUid } from '~/lib/uid.ts'

export type Picked = { chosen: string[]; cleared: string[]; search: string; page: number }

/** What a button of the plain form does. Those of results carry the uids that the server finds. */
export type PickStep =
  | { kind: 'add'; uids: string[] }
  | { kind: 'remove'; uid: string }
  | { kind: 'clear' }
  | { kind: 'undo' }

/** As many as fit, in their order; what is there already stays where it is. */
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

/** Whatever makes no sense in a posted form is left out. */
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

/** For the schema of a form with a picker. */
export function pickedField({ most, required }: { most: number; required?: string }) {
  return z
    .string()
    .default('')
    .transform(readUids)
    .refine((uids) => uids.length <= most, `At most ${most.toLocaleString('en')} can be chosen`)
    .refine((uids) => required === undefined || uids.length > 0, required)
}
