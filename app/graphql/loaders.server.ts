import DataLoader from 'dataloader'
import { listChaptersOf, listPicturesOf, listPlansOf, listTagsOf } from '~/services/access/parts.server.ts'
import type { Ctx } from '~/services/context.ts'
import { listCoursesByUid } from '~/services/courses/courses.server.ts'
import { listCourseVersions, listSectionsOfVersions } from '~/services/courses/versions.server.ts'
import { listModulesByUid } from '~/services/modules/modules.server.ts'
import {
  listModulesOfChapters,
  listModuleVersions,
  listUnitsOfVersions,
  listVersionsOfModules,
} from '~/services/modules/parts.server.ts'
import { listModuleStatistics } from '~/services/modules/statistics.server.ts'
import { findOwnFilmsProgress } from '~/services/progress/progress.server.ts'
import { listChaptersOfSections } from '~/services/sections/sections.server.ts'
import { listUsersByUid } from '~/services/users/batch.server.ts'

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
    plans: batch((ctx, uids) => listPlansOf(ctx, 'modules', uids)),
    tags: batch((ctx, uids) => listTagsOf(ctx, 'modules', uids)),
    chapter: batch((ctx, uids) => listChaptersOf(ctx, 'modules', uids)),
    cover: batch((ctx, uids) => listPicturesOf(ctx, 'modules', uids)),
    statistics: batch(listModuleStatistics),
    version: batch(listModuleVersions),
    versions: batch(listVersionsOfModules),
    units: batch(listUnitsOfVersions),
    chaptersOfSection: batch(listChaptersOfSections),
    modulesOfChapter: batch(listModulesOfChapters),
    course: batch(listCoursesByUid),
    coursePlans: batch((ctx, uids) => listPlansOf(ctx, 'courses', uids)),
    courseTags: batch((ctx, uids) => listTagsOf(ctx, 'courses', uids)),
    courseCover: batch((ctx, uids) => listPicturesOf(ctx, 'courses', uids)),
    courseBanner: batch((ctx, uids) => listPicturesOf(ctx, 'courses', uids, 'banner_file_id')),
    courseVersion: batch(listCourseVersions),
    courseSections: batch(listSectionsOfVersions),
    user: batch(listUsersByUid),
    lecturePlans: batch((ctx, uids) => listPlansOf(ctx, 'lectures', uids)),
    lectureTags: batch((ctx, uids) => listTagsOf(ctx, 'lectures', uids)),
    lectureCover: batch((ctx, uids) => listPicturesOf(ctx, 'lectures', uids)),
    lectureChapter: batch((ctx, uids) => listChaptersOf(ctx, 'lectures', uids)),
    ownVideoProgress: batch((ctx, uids) => findOwnFilmsProgress(ctx, { kind: 'video', uids })),
  }
}
