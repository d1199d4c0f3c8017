/** Checks the paging arguments of all lists: by cursor (name, id), and by number for tables. */
import { openNameCursor } from '~/lib/cursor.ts'
import { Invalid } from './errors.ts'

export type PageInput = { first?: number; after?: string | null }

const maxSize = 100

/** A page of the list `list`, for `pageByName`, which makes cursors that are valid only for this list. */
type NamedPage = { list: string; first: number; after: { name: string; id: number } | null }

/**
 * Checks paging arguments. Throws Invalid for a size outside 1 to `most`, and for a cursor of another list. `name`
 * identifies the list; `filter` has everything besides the viewer that determines its rows.
 */
export function parsePage(
  name: string,
  input: PageInput,
  filter: Record<string, string | boolean | null | undefined> = {},
  most = maxSize,
): NamedPage {
  const first = input.first ?? most
  if (!Number.isInteger(first) || first < 1 || first > most) {
    throw new Invalid(`"first" must be a whole number from 1 to ${most}.`, {}, 'page.first')
  }
  const list = JSON.stringify([name, Object.entries(filter).filter(([, value]) => value)])
  if (input.after === undefined || input.after === null) return { list, first, after: null }
  const after = openNameCursor(list, input.after)
  if (!after) throw new Invalid('The cursor "after" does not belong to this list.', {}, 'page.after')
  return { list, first, after }
}

/**
 * The page of a table, from an address that anybody can edit. Invalid numbers are replaced by the nearest valid ones.
 * Pages begin with 1.
 */
export type NumberedPageInput = { page?: number; size?: number }

export function limitsOfPage(input: NumberedPageInput): { limit: number; offset: number } {
  const limit = Math.min(Math.max(input.size ?? 10, 1), maxSize)
  return { limit, offset: (Math.max(input.page ?? 1, 1) - 1) * limit }
}
