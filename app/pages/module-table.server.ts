/**
 * The console's table of modules: one page, a short list in batches, the latest changes, and the choices of the
 * filters.
 */

import type { ModuleTableRow } from '~/components/console/modules/view.ts'
import { noSection } from '~/forms/module-tables.ts'
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
import { contentRowOf, filterOptionOf } from './content-table.server.ts'

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
    section: [...sections.map(filterOptionOf), { value: noSection, label: 'No section' }],
    group: plans.map(filterOptionOf),
    author: authors.map(filterOptionOf),
  }
}

/** For staff: the options of one filter whose names hold this text. */
export async function findModuleFilterOptions(
  ctx: Ctx,
  { filter, search }: { filter: string; search: string },
): Promise<FilterOption[]> {
  const { plans, authors } = await listModuleFilterChoices(ctx, { search })
  if (filter === 'group') return plans.map(filterOptionOf)
  return filter === 'author' ? authors.map(filterOptionOf) : []
}

function rowOf(ctx: Ctx, entry: ModuleEntry): ModuleTableRow {
  const { comingSoon, sectionUid, completions, averageScore, packageStatus } = entry
  return {
    ...contentRowOf(ctx, entry),
    isComingSoon: comingSoon,
    sectionUid,
    completions,
    averageScore,
    previewUid: packageStatus === 'parsed' ? entry.versionUid : null,
    packageStatus,
  }
}
