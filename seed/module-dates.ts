/** When the author of the demo made each module and changed it last. Pure, and the same at every seed. */
import type { SiteKey } from '../app/config/brands.ts'
import { randomOf } from './activity/random.ts'
import type { ModuleSource } from './build-package.ts'

const dayMs = 86_400_000
const minuteMs = 60_000

/** When the author joined, in days before the seed. */
export const authorJoined = 560

/** `changedAt` is null if the author has never changed the module. */
export type ModuleDates = { madeAt: Date; changedAt: Date | null }

/** Published modules are older than whatever people do in them. The others are still being worked on. */
export function datesOfModule(
  module: { folder: string; status: ModuleSource['status'] },
  { site, today }: { site: SiteKey; today: Date },
): ModuleDates {
  const random = randomOf(`${site} ${module.folder}`)
  const momentBefore = (days: number) =>
    new Date(today.getTime() - days * dayMs + random.between(8 * 60, 18 * 60) * minuteMs)
  if (module.status !== 'published') return { madeAt: momentBefore(random.between(8, 60)), changedAt: null }
  const madeAt = momentBefore(random.between(405, authorJoined - 10))
  // More changes are recent than old.
  const changedAt = momentBefore(2 + Math.floor(360 * random.next() ** 2))
  return { madeAt, changedAt: random.isLucky(0.8) ? changedAt : null }
}
