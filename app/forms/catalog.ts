/** The list of courses that learners see: its courses in order. */
import { z } from 'zod'
import { uidField } from './uids.ts'

export const mostInCatalog = 1000

const uids = z
  .array(uidField('There is no such course'))
  .max(mostInCatalog, `At most ${mostInCatalog.toLocaleString('en')} courses`)
  .refine((list) => new Set(list).size === list.length, 'A course can be in the list only once')

/** `openedItems` is the list as the page showed it. A list that somebody has changed since is not overwritten. */
export const catalogForm = z.object({ items: uids, openedItems: uids.optional() })
