/** Modules as learners see them: cards with the viewer's progress. */

import type { ModuleView } from '~/components/modules/view.ts'
import { aboutMinutes } from '~/lib/duration.ts'
import { imageAddress } from '~/lib/file-address.ts'
import type { Ctx } from '~/services/context.ts'
import { findSaved } from '~/services/favorites/favorites.server.ts'
import { listCardsOfStartedModules, type ModuleCard } from '~/services/modules/cards.server.ts'
import { findOwnModulesProgress, type OwnModule } from '~/services/progress/progress.server.ts'

/** Adds the viewer's progress and saved state to cards, with two queries for all of them. */
export async function viewsOfCards(ctx: Ctx, cards: ModuleCard[]): Promise<ModuleView[]> {
  const uids = cards.map(({ uid }) => uid)
  const [progress, saved] = await Promise.all([
    findOwnModulesProgress(ctx, { moduleUids: uids }),
    findSaved(ctx, { type: 'module', uids }),
  ])
  return cards.map((card) => viewOf(card, progress.get(card.uid), saved))
}

/** A module in My Learning. `isListed` is false if the viewer's access no longer includes it. */
type StartedModuleView = ModuleView & {
  isListed: boolean
  startedAt: Date
  lastVisitedAt: Date
  completedAt: Date | null
}

/** Makes views for progress rows, which have no Save button. The order stays. */
export async function viewsOfProgress(ctx: Ctx, rows: OwnModule[]): Promise<StartedModuleView[]> {
  const uids = rows.map(({ moduleUid }) => moduleUid)
  const cards = await listCardsOfStartedModules(ctx, uids)
  return rows.flatMap((row) => {
    const card = cards.get(row.moduleUid)
    const { startedAt, lastVisitedAt, completedAt } = row
    return card
      ? [{ ...viewOf(card, row, new Set()), isListed: card.isListed, startedAt, lastVisitedAt, completedAt }]
      : []
  })
}

export function viewOf(card: ModuleCard, progress: OwnModule | undefined, saved: ReadonlySet<string>): ModuleView {
  const isElsewhere = card.isOpenable && (progress ?? card).isElsewhere
  const phase = card.section?.frontendId
  return {
    uid: card.uid,
    name: card.name,
    description: card.description,
    step: card.chapter?.name ?? null,
    phase: phase === 'discover' || phase === 'develop' || phase === 'deliver' ? phase : null,
    cover: card.cover && { address: imageAddress(card.cover.imageUid), alt: card.coverImgDesc },
    unitCount: card.unitCount,
    duration: aboutMinutes(card.minutes),
    isComingSoon: card.comingSoon,
    versionUid: card.isOpenable && !isElsewhere ? card.publishedVersionUid : null,
    isElsewhere,
    percent: progress?.percent ?? null,
    retakingPercent: progress?.retakingPercent ?? null,
    highestScore: progress?.highestScore ?? null,
    failedTest: progress?.failedTest ?? null,
    isSaved: saved.has(card.uid),
  }
}
