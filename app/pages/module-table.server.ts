/** The console's table of modules: a page of it, or the next hundred by name, with all that its columns show. */
import type { ModuleTableRow } from '~/components/console/modules/view.ts'
import { formatDate } from '~/lib/dates.ts'
import { listPlansOf, listTagsOf } from '~/services/access/parts.server.ts'
import type { Ctx } from '~/services/context.ts'
import { listModules, type Module } from '~/services/modules/modules.server.ts'
import { listModuleVersions, type ModuleVersion } from '~/services/modules/parts.server.ts'
import { listModuleStatistics } from '~/services/modules/statistics.server.ts'
import { listModulePage, type ModulePageInput } from '~/services/modules/table.server.ts'

/** For staff. */
export async function listModuleTablePage(
  ctx: Ctx,
  input: ModulePageInput,
): Promise<{ rows: ModuleTableRow[]; total: number }> {
  const { items, total } = await listModulePage(ctx, input)
  return { rows: await rowsOf(ctx, items), total }
}

/** For staff: a hundred from after the cursor. */
export async function listModuleTableBatch(
  ctx: Ctx,
  input: { after: string | null },
): Promise<{ rows: ModuleTableRow[]; next: string | null }> {
  const { items, endCursor, hasNextPage } = await listModules(ctx, { first: 100, after: input.after })
  return { rows: await rowsOf(ctx, items), next: hasNextPage ? endCursor : null }
}

async function rowsOf(ctx: Ctx, modules: Module[]): Promise<ModuleTableRow[]> {
  const uids = modules.map(({ uid }) => uid)
  const versionUids = modules.flatMap(({ currentVersionUid }) => currentVersionUid ?? [])
  const [versions, tags, plans, statistics] = await Promise.all([
    listModuleVersions(ctx, versionUids),
    listTagsOf(ctx, 'modules', uids),
    listPlansOf(ctx, 'modules', uids),
    listModuleStatistics(ctx, uids),
  ])
  return modules.map((module) => {
    const version = versions.get(module.currentVersionUid ?? '')
    const numbers = statistics?.get(module.uid)
    return {
      uid: module.uid,
      name: module.name,
      status: version?.status ?? 'draft',
      isOlderLive: version?.status === 'draft' && module.publishedVersionUid !== null,
      isComingSoon: module.comingSoon,
      tags: (tags.get(module.uid) ?? []).map(({ text }) => text),
      plans: (plans.get(module.uid) ?? []).map(({ name }) => name),
      author: version?.author ? shortName(version.author) : null,
      version: version?.version ?? null,
      updatedOn: formatDate(module.updatedAt, ctx.site.timeZone),
      updatedAt: module.updatedAt.getTime(),
      completions: numbers?.numCompletions ?? 0,
      averageScore: numbers?.avgScore ?? null,
      previewUid: version?.package?.status === 'parsed' ? version.uid : null,
    }
  })
}

/** Jane D. */
function shortName({ firstName, lastName }: NonNullable<ModuleVersion['author']>): string {
  const [initial] = [...lastName.trim()]
  return initial ? `${firstName} ${initial}.`.trim() : firstName
}
