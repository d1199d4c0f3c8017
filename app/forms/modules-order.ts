import { z } from 'zod'
import { uidField } from './uids.ts'

const uid = uidField('There is no such thing')
const uids = z
  .array(uid)
  .max(1000, 'At most 1,000 can be ordered at once')
  .refine((list) => new Set(list).size === list.length, 'Nothing can be in a list twice')

/**
 * A new order on the modules page: for modules of chapters, for the chapters of one section, or for both. `opened…` is
 * the order that the page showed before. The new order is refused if somebody has changed that one meanwhile.
 */
export const modulesOrderForm = z.object({
  chapters: z
    .array(z.object({ uid, moduleUids: uids, openedModuleUids: uids.optional() }))
    .max(100, 'At most 100 chapters')
    .refine((list) => new Set(list.map(({ uid }) => uid)).size === list.length, 'Nothing can be in a list twice')
    .nullish(),
  section: z.object({ uid, chapterUids: uids, openedChapterUids: uids.optional() }).nullish(),
})
