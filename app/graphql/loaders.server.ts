import DataLoader from 'dataloader'
import type { ContentKind } from '~/services/access/access.server.ts'
import { listPartsOf, type PartName, type Parts } from '~/services/access/parts.server.ts'
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
import { listAnswersOfUsers } from '~/services/questionnaire/questionnaire.server.ts'
import { listChaptersOfSections, listSections } from '~/services/sections/sections.server.ts'
import { listUsersByUid } from '~/services/users/batch.server.ts'
import { countCompletedUnits } from '~/services/users/table-entries.server.ts'

export type Loaders = ReturnType<typeof createLoaders>

/** Loaders that read each kind of thing for a whole page in one query. They live as long as one request. */
export function createLoaders(ctx: Ctx) {
  const batch = <T>(read: (ctx: Ctx, uids: string[]) => Promise<Map<string, T> | null>) =>
    new Loader<T>((uids) => read(ctx, uids))
  return {
    module: batch(listModulesByUid),
    moduleParts: new PartsLoader(ctx, 'modules'),
    statistics: batch(listModuleStatistics),
    version: batch(listModuleVersions),
    versions: batch(listVersionsOfModules),
    units: batch(listUnitsOfVersions),
    section: batch(async () => new Map((await listSections(ctx)).map((section) => [section.uid, section]))),
    chaptersOfSection: batch(listChaptersOfSections),
    modulesOfChapter: batch(listModulesOfChapters),
    course: batch(listCoursesByUid),
    courseParts: new PartsLoader(ctx, 'courses'),
    courseVersion: batch(listCourseVersions),
    courseSections: batch(listSectionsOfVersions),
    user: batch(listUsersByUid),
    completedUnits: batch(countCompletedUnits),
    answers: batch(listAnswersOfUsers),
    lectureParts: new PartsLoader(ctx, 'lectures'),
    videoParts: new PartsLoader(ctx, 'videos'),
    ownVideoProgress: batch((ctx, uids) => findOwnFilmsProgress(ctx, { kind: 'video', uids })),
  }
}

/**
 * Loads things of one kind by uid; null if there is none. Loads of one tick become one query, and values that were read
 * ahead are returned at once. This avoids a promise for each field of each item, which is most of the work of a long
 * page.
 */
class Loader<T> {
  private readonly known = new Map<string, T | null>()
  private readonly batches: DataLoader<string, T | null>

  constructor(private readonly read: (uids: string[]) => Promise<Map<string, T> | null>) {
    this.batches = new DataLoader(async (uids) => {
      const found = await this.read([...uids])
      return uids.map((uid) => found?.get(uid) ?? null)
    })
  }

  load(uid: string): T | null | Promise<T | null> {
    const known = this.known.get(uid)
    return known === undefined ? this.batches.load(uid) : known
  }

  /** Reads all of them in one query. A failed read is repeated, and reported, when the value is needed. */
  async readAhead(uids: string[]): Promise<void> {
    const found = await this.read(uids).catch(() => undefined)
    if (found !== undefined) for (const uid of uids) this.known.set(uid, found?.get(uid) ?? null)
  }

  /** Keeps a value that another query has already read. */
  keep(uid: string, value: T): void {
    this.known.set(uid, value)
  }
}

type PartKey = { uid: string; name: PartName }

/** Loads plans, tags, chapters and pictures: all loads of one tick become one query. */
class PartsLoader {
  private readonly known = new Map<string, Partial<Parts>>()
  private readonly batches: DataLoader<PartKey, unknown, string>

  constructor(
    private readonly ctx: Ctx,
    private readonly kind: ContentKind,
  ) {
    this.batches = new DataLoader(
      async (keys) => {
        const found = await this.read(unique(keys.map(({ uid }) => uid)), unique(keys.map(({ name }) => name)))
        return keys.map(({ uid, name }) => found.get(uid)?.[name] ?? none[name])
      },
      { cacheKeyFn: ({ uid, name }) => `${uid} ${name}` },
    )
  }

  load<Name extends PartName>(uid: string, name: Name): Parts[Name] | Promise<Parts[Name]> {
    const known = this.known.get(uid)
    return known && name in known
      ? (known[name] as Parts[Name])
      : (this.batches.load({ uid, name }) as Promise<Parts[Name]>)
  }

  /** Like `readAhead` of Loader. */
  async readAhead(uids: string[], names: PartName[]): Promise<void> {
    const found = await this.read(uids, names).catch(() => undefined)
    if (!found) return
    const nothing = Object.fromEntries(names.map((name) => [name, none[name]]))
    for (const uid of uids) this.known.set(uid, { ...this.known.get(uid), ...(found.get(uid) ?? nothing) })
  }

  private read(uids: string[], names: PartName[]): Promise<Map<string, Partial<Parts>>> {
    return listPartsOf(this.ctx, this.kind, uids, names)
  }
}

const none: Parts = { plans: [], tags: [], chapter: null, cover: null, banner: null, captions: [], transcript: '' }

function unique<T>(values: T[]): T[] {
  return [...new Set(values)]
}
