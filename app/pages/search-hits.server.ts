/** Search results with the viewer's progress, so that a learner can continue from there. */
import { isUid } from '~/lib/uid.ts'
import type { Ctx } from '~/services/context.ts'
import { listCardsOfModules } from '~/services/modules/cards.server.ts'
import { findOwnCourseStates } from '~/services/progress/own-courses.server.ts'
import { findOwnModulesProgress } from '~/services/progress/progress.server.ts'
import type { SearchHit } from '~/services/search/search.server.ts'
import { viewOf } from './modules.server.ts'

/** `versionUid` is what a launch needs; null for a course, and if the rest of the module opens in another program. */
export type Begun = { percent: number; versionUid: string | null }

/**
 * Finds the modules and courses among these that the viewer has begun, has not completed and can open, by uid. Three
 * queries for all.
 */
export async function findBegun(
  ctx: Ctx,
  hits: Pick<SearchHit, 'kind' | 'uid' | 'isOpenable'>[],
): Promise<Map<string, Begun>> {
  const openable = hits.filter(({ uid, isOpenable }) => isOpenable && isUid(uid))
  const uidsOf = (kind: SearchHit['kind']) => openable.filter((hit) => hit.kind === kind).map(({ uid }) => uid)
  const moduleUids = uidsOf('module')
  const [cards, progress, courses] = await Promise.all([
    listCardsOfModules(ctx, moduleUids),
    findOwnModulesProgress(ctx, { moduleUids }),
    findOwnCourseStates(ctx, { courseUids: uidsOf('course') }),
  ])
  const begun = new Map<string, Begun>()
  for (const [uid, card] of cards) {
    const { versionUid, isElsewhere, retakingPercent, percent } = viewOf(card, progress.get(uid), new Set())
    const isBegun = retakingPercent !== null || (percent !== null && percent > 0 && percent < 100)
    if ((versionUid || isElsewhere) && isBegun) begun.set(uid, { versionUid, percent: retakingPercent ?? percent ?? 0 })
  }
  for (const [uid, { percent, startedAt, completedAt }] of courses) {
    if (percent < 100 && !completedAt && startedAt) begun.set(uid, { percent, versionUid: null })
  }
  return begun
}
