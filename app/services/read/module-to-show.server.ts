/** The module of a module page: who sees it, and whether it can be opened. */
import { isUid } from '~/lib/uid.ts'
import { seesDrafts } from '../access/access.server.ts'
import type { Ctx } from '../context.ts'
import { listCardsOfModules, listCardsOfStartedModules, type ModuleCard } from '../modules/cards.server.ts'
import { findOwnModulesProgress } from '../progress/progress.server.ts'

type ModuleToShow = {
  card: ModuleCard
  /** The version whose units are listed. Null for learners while the module is coming soon. */
  unitsVersionUid: string | null
  /** The viewer's access has ended. The page shows the results, and nothing can be opened. */
  isClosed: boolean
}

/**
 * Finds a module for its page: one that the viewer may see, also if it is coming soon, or one that the viewer had begun
 * before the subscription ended. Null for everything else.
 */
export async function findModuleToShow(ctx: Ctx, input: { moduleUid: string }): Promise<ModuleToShow | null> {
  if (!isUid(input.moduleUid)) return null
  const uid = input.moduleUid.toLowerCase()
  const listed = (await listCardsOfModules(ctx, [uid])).get(uid)
  const card = listed ?? (await findClosed(ctx, uid))
  if (!card) return null
  const isAnnounced = card.comingSoon && !seesDrafts(ctx)
  return { card, unitsVersionUid: isAnnounced ? null : card.publishedVersionUid, isClosed: !listed }
}

async function findClosed(ctx: Ctx, uid: string): Promise<ModuleCard | undefined> {
  if (!ctx.viewer?.accessEndedAt) return undefined
  const begun = await findOwnModulesProgress(ctx, { moduleUids: [uid] })
  return begun.has(uid) ? (await listCardsOfStartedModules(ctx, [uid])).get(uid) : undefined
}
