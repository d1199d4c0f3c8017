import { z } from 'zod'
import { uidField } from './uids.ts'

const uid = uidField('There is no such thing')
const uids = z
  .array(uid)
  .max(1000, 'At most 1,000 can be ordered at once')
  .refine((list) => new Set(list).size === list.length, 'Nothing can be in a list twice')

/**
 * What changed on the modules page: the modules of chapters, the chapters of one section, or both. `opened…`: the order that the page showed
 * before. Where somebody has changed it since, the new order is refused.
 */
export const modulesOrderForm = z.object({
  chapters: z
    .array(z.object({ uid, moduleUids: uids, openedModuleUids: uids.optional() }))
    .max(100, 'At most 100 chapters')
    .refine((list) => new Set(list.map(({ uid }) => uid)).size === list.length, 'Nothing can be in a list twice')
    .nullish(),
  section: z.object({ uid, chapterUids: uids, openedChapterUids: uids.optional() }).nullish(),
})
