/**
 * The page of a learner's attempts and the dialogs over it: their address says which attempt it is about (`attempt=`) and where the list of learners stood
 * (`list=`), so that the way back leads there.
 */
import { tablesSearch } from '~/lib/table-query.ts'

/** Of the page that `search` belongs to; '' where it was not come to from a list. */
export function listOfLearners(search: string): string {
  return tablesSearch(new URLSearchParams(search).get('list') ?? '')
}

/** From the page that `search` belongs to, to another attempt, page or dialog of the same learner. */
export function attemptSearch(search: string, attempt: string, before?: string): string {
  const list = listOfLearners(search)
  return `?${new URLSearchParams({ attempt, ...(before && { before }), ...(list && { list }) })}`
}
