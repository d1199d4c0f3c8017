/** The console's table of modules: a page of it, all of a short list by batches, what changed since, and what it can be filtered by. */

import type { ModuleTableRow } from '~/components/console/modules/view.ts'
import { noSection } from '~/forms/module-tables.ts'
import { formatDay } from '~/lib/dates.ts'
import type { FilterOption } from '~/lib/table-query.ts'
import { listPartsOf } from '~/services/access/parts.server.ts'
import { listAccessPlans } from '~/services/access/plans.server.ts'
import type { Ctx } from '~/services/context.ts'
import { listModules, type Module } from '~/services/modules/modules.server.ts'
import { listModuleVersions, type ModuleVersion } from '~/services/modules/parts.server.ts'
import { listModuleFigures } from '~/services/modules/statistics.server.ts'
import {
  describeModuleList,
  listModuleAuthors,
  listModulePage,
  listModulesChangedSince,
  type ModulePageInput,
} from '~/services/modules/table.server.ts'
import { listSections } from '~/services/sections/sections.server.ts'

export type ModuleTablePage = { rows: ModuleTableRow[]; total: number; listed: number; state: string }

/** For staff. */
export async function listModuleTablePage(ctx: Ctx, input: ModulePageInput): Promise<ModuleTablePage> {
  const [{ items, total }, list] = await Promise.all([listModulePage(ctx, input), describeModuleList(ctx)])
  return { rows: await rowsOf(ctx, items), total, ...list }
}

/** For staff: a hundred from after the cursor. */
export async function listModuleTableBatch(
  ctx: Ctx,
  input: { after: string | null },
): Promise<{ rows: ModuleTableRow[]; next: string | null }> {
  const { items, endCursor, hasNextPage } = await listModules(ctx, { first: 100, after: input.after })
  return { rows: await rowsOf(ctx, items), next: hasNextPage ? endCursor : null }
}

/** For staff: the rows that changed since the list was in that state. Null where everything has to be read again. */
export async function listModuleTableChanges(
  ctx: Ctx,
  input: { state: string },
): Promise<{ rows: ModuleTableRow[]; gone: string[] } | null> {
  const changes = await listModulesChangedSince(ctx, input)
  return changes && { rows: await rowsOf(ctx, changes.items), gone: changes.goneUids }
}

export type ModuleFilterOptions = { section: FilterOption[]; group: FilterOption[]; author: FilterOption[] }

/** For staff. */
export async function listModuleFilterOptions(ctx: Ctx): Promise<ModuleFilterOptions> {
  const [sections, plans, authors] = await Promise.all([
    listSections(ctx),
    listAccessPlans(ctx),
    listModuleAuthors(ctx),
  ])
  const option = ({ uid, name }: { uid: string; name: string }) => ({ value: uid, label: name })
  return {
    section: [...sections.map(option), { value: noSection, label: 'No section' }],
    group: plans.map(option),
    author: authors.map(option),
  }
}

async function rowsOf(ctx: Ctx, modules: Module[]): Promise<ModuleTableRow[]> {
  const uids = modules.map(({ uid }) => uid)
  const versionUids = modules.flatMap(({ currentVersionUid, publishedVersionUid }) =>
    [currentVersionUid, publishedVersionUid].filter((uid) => uid !== null),
  )
  const [versions, parts, figures] = await Promise.all([
    listModuleVersions(ctx, [...new Set(versionUids)]),
    listPartsOf(ctx, 'modules', uids, ['tags', 'plans', 'chapter']),
    listModuleFigures(ctx, uids),
  ])
  return modules.map((module) => {
    const version = versions.get(module.currentVersionUid ?? '')
    const live = versions.get(module.publishedVersionUid ?? '')
    const numbers = figures.get(module.uid)
    const { tags = [], plans = [], chapter = null } = parts.get(module.uid) ?? {}
    return {
      uid: module.uid,
      name: module.name,
      status: version?.status ?? 'draft',
      olderLive: version?.status === 'draft' ? (live?.version ?? null) : null,
      isComingSoon: module.comingSoon,
      tags: tags.map(({ text }) => text),
      plans: plans.map(({ name }) => name),
      planUids: plans.map(({ uid }) => uid),
      sectionUid: chapter?.section.uid ?? null,
      author: version?.author ? shortName(version.author) : null,
      authorUid: version?.author?.uid ?? null,
      version: version?.version ?? null,
      updatedOn: formatDay(module.updatedAt, ctx.site.timeZone),
      updatedAt: module.updatedAt.getTime(),
      completions: numbers?.numCompletions ?? 0,
      averageScore: numbers?.avgScore ?? null,
      previewUid: version?.package?.status === 'parsed' ? version.uid : null,
      packageStatus: version?.package?.status ?? null,
    }
  })
}

/** Jane D. */
function shortName({ firstName, lastName }: NonNullable<ModuleVersion['author']>): string {
  const [initial] = [...lastName.trim()]
  return initial ? `${firstName} ${initial}.`.trim() : firstName
}
