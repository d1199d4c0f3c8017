/** The filters that a message keeps for its step 2. */
import { badCharacters } from '~/forms/text.ts'
import { isStorable } from '~/lib/text.ts'
import { Invalid } from '../errors.ts'

const longestFilters = 20_000

/** Those of the console are lists of texts in an object. */
const deepestFilters = 5

/** Programs may keep filters of their own here. They are an object, and no longer than those of the console. */
export function filtersOf(filters: unknown): object {
  if (filters === null || typeof filters !== 'object' || Array.isArray(filters)) {
    if (filters === null) return {}
    throw new Invalid('The filters must be an object.', { filters: 'The filters must be an object.' })
  }
  const fault = faultIn(filters, deepestFilters)
  if (fault) throw new Invalid(fault, { filters: fault })
  if (JSON.stringify(filters).length > longestFilters) {
    throw new Invalid('The filters are too long.', { filters: 'The filters are too long.' })
  }
  return filters
}

function faultIn(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return isStorable(value) ? null : badCharacters
  if (value === null || typeof value !== 'object') return null
  if (depth === 0) return 'The filters are nested too deeply.'
  const parts = Object.entries(value).flat()
  return parts.map((part) => faultIn(part, depth - 1)).find((fault) => fault !== null) ?? null
}
