import { z } from 'zod'
import { mostAtOnce } from './module-tables.ts'
import { uidField } from './uids.ts'

const modulesChanges = ['publish', 'unpublish', 'delete'] as const
/** What can be done with selected modules. A deletion can be undone, which restores them. */
export type ModulesChange = (typeof modulesChanges)[number] | 'restore'

/** One change to the modules that are selected in the table. */
export const changeModulesForm = z.object({
  change: z.enum(modulesChanges, { errorMap: () => ({ message: 'Please choose what to do with the modules' }) }),
  moduleUids: z
    .array(uidField('There is no such module'))
    .min(1, 'Please select one or more modules')
    .max(mostAtOnce, `Please select at most ${mostAtOnce} modules`),
})
