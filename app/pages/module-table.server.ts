/**
 * The console's table of modules: one page, a short list in batches, the latest changes, and the choices of the
 * filters.
 */

import type { ModuleTableRow } from '~/components/console/modules/view.ts'
import { noSection } from '~/forms/module-tables.ts'
import { formatDay } from '~/lib/dates.ts'
import type { FilterOption } from '~/lib/table-query.ts'
import type { Ctx } from '~/services/context.ts'
import { listModules } from '~/services/modules/modules.server.ts'
import {
  describeModuleList,
  listModuleFilterChoices,
  listModulePage,
  listModulesChangedSince,
  type ModulePageInput,
} from '~/services/modules/table.server.ts'
import { listModuleEntries, type ModuleEntry } from '~/services/modules/table-entries.server.ts'

type ModuleTablePage = { rows: ModuleTableRow[]; total: number; listed: number; state: string }

/** Reads one page of the table, for staff. */
export async function listModuleTablePage(ctx: Ctx, input: ModulePageInput): Promise<ModuleTablePage> {
  const [{ items, total }, list] = await Promise.all([listModulePage(ctx, input), describeModuleList(ctx)])
  return { rows: items.map((entry) => rowOf(ctx, entry)), total, ...list }
}

/** Reads the next hundred rows after the cursor, for staff. */
export async function listModuleTableBatch(
  ctx: Ctx,
  input: { after: string | null },
): Promise<{ rows: ModuleTableRow[]; next: string | null }> {
  const { items, endCursor, hasNextPage } = await listModules(ctx, { first: 100, after: input.after })
  const entries = await listModuleEntries(
    ctx,
    items.map(({ uid }) => uid),
  )
  return { rows: entries.map((entry) => rowOf(ctx, entry)), next: hasNextPage ? endCursor : null }
}

/**
 * Reads the rows that changed since the list was in the given state, for staff. Returns null if everything has to be
 * read again.
 */
export async function listModuleTableChanges(
  ctx: Ctx,
  input: { state: string },
): Promise<{ rows: ModuleTableRow[]; gone: string[] } | null> {
  const changes = await listModulesChangedSince(ctx, input)
  return changes && { rows: changes.items.map((entry) => rowOf(ctx, entry)), gone: changes.goneUids }
}

type ModuleFilterOptions = { section: FilterOption[]; group: FilterOption[]; author: FilterOption[] }

/** Lists the choices of the filters, for staff, including those that the query has chosen. */
export async function listModuleFilterOptions(
  ctx: Ctx,
  { filters }: Pick<ModulePageInput, 'filters'> = {},
): Promise<ModuleFilterOptions> {
  const { sections, plans, authors } = await listModuleFilterChoices(ctx, { filters })
  return {
    section: [...sections.map(optionOf), { value: noSection, label: 'No section' }],
    group: plans.map(optionOf),
    author: authors.map(optionOf),
  }
}

/** For staff: the options of one filter whose names hold this text. */
export async function findModuleFilterOptions(
  ctx: Ctx,
  { filter, search }: { filter: string; search: string },
): Promise<FilterOption[]> {
  const { plans, authors } = await listModuleFilterChoices(ctx, { search })
  if (filter === 'group') return plans.map(optionOf)
  return filter === 'author' ? authors.map(optionOf) : []
}

function optionOf({ uid, name }: { uid: string; name: string }): FilterOption {
  return { value: uid, label: name }
}

function rowOf(ctx: Ctx, entry: ModuleEntry): ModuleTableRow {
  const { version, publishedVersion, packageStatus } = entry
  const status = version !== null && version === publishedVersion ? 'published' : 'draft'
  return {
    uid: entry.uid,
    name: entry.name,
    status,
    olderLive: status === 'draft' ? publishedVersion : null,
    isComingSoon: entry.comingSoon,
    tags: entry.tags,
    plans: entry.plans.map(({ name }) => name),
    planUids: entry.plans.map(({ uid }) => uid),
    sectionUid: entry.sectionUid,
    author: entry.author && shortName(entry.author),
    authorUid: entry.author?.uid ?? null,
    version,
    updatedOn: formatDay(entry.updatedAt, ctx.site.timeZone),
    updatedAt: entry.updatedAt.getTime(),
    completions: entry.completions,
    averageScore: entry.averageScore,
    previewUid: packageStatus === 'parsed' ? entry.versionUid : null,
    packageStatus,
  }
}

/** Shortens a name to "Jane D." */
function shortName({ firstName, lastName }: NonNullable<ModuleEntry['author']>): string {
  const [initial] = [...lastName.trim()]
  return initial ? `${firstName} ${initial}.`.trim() : firstName
}
