/** The arguments of lists, checked once for all of them: walked by (name, id), and for tables by number. */
import { decodeNameCursor } from '~/lib/cursor.ts'
import { Invalid } from './errors.ts'

export type PageInput = { first?: number; after?: string | null }

const most = 100

/** Throws Invalid for a size beyond 1 to 100 and for what is no cursor of ours. */
export function parsePage(input: PageInput): { first: number; after: { name: string; id: number } | null } {
  const first = input.first ?? most
  if (!Number.isInteger(first) || first < 1 || first > most) {
    throw new Invalid(`"first" must be a whole number from 1 to ${most}.`, {}, 'page.first')
  }
  if (input.after === undefined || input.after === null) return { first, after: null }
  const after = decodeNameCursor(input.after)
  if (!after) throw new Invalid('The cursor "after" is not one of this list.', {}, 'page.after')
  return { first, after }
}

/** Of a table, whose address anybody may write: numbers that make no sense are as the nearest that do. Pages begin with 1. */
export type NumberedPageInput = { page?: number; size?: number }

export function limitsOfPage(input: NumberedPageInput): { limit: number; offset: number } {
  const limit = Math.min(Math.max(input.size ?? 10, 1), most)
  return { limit, offset: (Math.max(input.page ?? 1, 1) - 1) * limit }
}
