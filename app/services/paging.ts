/** The arguments of lists, checked once for all of them: walked by (name, id), and for tables by number. */
import { openNameCursor } from '~/lib/cursor.ts'
import { Invalid } from './errors.ts'

export type PageInput = { first?: number; after?: string | null }

const most = 100

/** A page of the list `list`, to be handed on to `pageByName`, so that its cursor is one of this list. */
export type NamedPage = { list: string; first: number; after: { name: string; id: number } | null }

/**
 * Throws Invalid for a size beyond 1 to 100 and for what is no cursor of this list: `name` is the list's own, `filter` what its rows were chosen by beside the
 * viewer.
 */
export function parsePage(
  name: string,
  input: PageInput,
  filter: Record<string, string | boolean | null | undefined> = {},
): NamedPage {
  const first = input.first ?? most
  if (!Number.isInteger(first) || first < 1 || first > most) {
    throw new Invalid(`"first" must be a whole number from 1 to ${most}.`, {}, 'page.first')
  }
  const list = JSON.stringify([name, Object.entries(filter).filter(([, value]) => value)])
  if (input.after === undefined || input.after === null) return { list, first, after: null }
  const after = openNameCursor(list, input.after)
  if (!after) throw new Invalid('The cursor "after" is not one of this list.', {}, 'page.after')
  return { list, first, after }
}

/** Of a table, whose address anybody may write: numbers that make no sense are as the nearest that do. Pages begin with 1. */
export type NumberedPageInput = { page?: number; size?: number }

export function limitsOfPage(input: NumberedPageInput): { limit: number; offset: number } {
  const limit = Math.min(Math.max(input.size ?? 10, 1), most)
  return { limit, offset: (Math.max(input.page ?? 1, 1) - 1) * limit }
}
