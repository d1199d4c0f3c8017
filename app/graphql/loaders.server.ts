import DataLoader from 'dataloader'
import type { Ctx } from '~/services/context.ts'
import { listModulesByUid } from '~/services/modules/modules.server.ts'
import {
  listAccessPlansOfModules,
  listChaptersOfModules,
  listCoversOfModules,
  listModulesOfChapters,
  listModuleVersions,
  listTagsOfModules,
  listUnitsOfVersions,
  listVersionsOfModules,
} from '~/services/modules/parts.server.ts'
import { listModuleStatistics } from '~/services/modules/statistics.server.ts'
import { listChaptersOfSections } from '~/services/sections/sections.server.ts'

export type Loaders = ReturnType<typeof createLoaders>

/** One query for all modules of a page, made for one request and thrown away with it. */
export function createLoaders(ctx: Ctx) {
  const batch = <T>(read: (ctx: Ctx, uids: string[]) => Promise<Map<string, T> | null>) =>
    new DataLoader<string, T | null>(async (uids) => {
      const found = await read(ctx, [...uids])
      return uids.map((uid) => found?.get(uid) ?? null)
    })
  return {
    module: batch(listModulesByUid),
    plans: batch(listAccessPlansOfModules),
    tags: batch(listTagsOfModules),
    chapter: batch(listChaptersOfModules),
    cover: batch(listCoversOfModules),
    statistics: batch(listModuleStatistics),
    version: batch(listModuleVersions),
    versions: batch(listVersionsOfModules),
    units: batch(listUnitsOfVersions),
    chaptersOfSection: batch(listChaptersOfSections),
    modulesOfChapter: batch(listModulesOfChapters),
  }
}
