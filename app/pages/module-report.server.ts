/** A module's report for the console: its figures, and its learners as rows of the table and of the exported file. */

import type { MonthsOfModule } from '~/components/console/modules/module-report.tsx'
import type { ModuleLearnerRow } from '~/components/console/modules/view.ts'
import { formatDay, formatMonth } from '~/lib/dates.ts'
import type { FilterOption } from '~/lib/table-query.ts'
import { isUid } from '~/lib/uid.ts'
import { listAccessPlans } from '~/services/access/plans.server.ts'
import type { Ctx } from '~/services/context.ts'
import { Forbidden, NotFound } from '~/services/errors.ts'
import { getModule } from '~/services/modules/modules.server.ts'
import { listModuleMonths, listModuleStatistics, type ModuleStatistics } from '~/services/modules/statistics.server.ts'
import {
  listModuleLearnerPage,
  listModuleLearners,
  type ModuleLearner,
  type ModuleLearnerPageInput,
} from '~/services/progress/progress.server.ts'

/** Reads the statistics of a module, for staff. */
export async function getModuleStatistics(ctx: Ctx, input: { moduleUid: string }): Promise<ModuleStatistics> {
  if (!isUid(input.moduleUid)) throw new NotFound()
  const all = await listModuleStatistics(ctx, [input.moduleUid])
  if (!all) throw new Forbidden()
  const own = all.get(input.moduleUid.toLowerCase())
  if (!own) throw new NotFound()
  return own
}

/** Reads a module's starts and completions in each of the last twelve months for its chart, for staff. */
export async function listModuleChart(ctx: Ctx, input: { moduleUid: string }): Promise<MonthsOfModule> {
  const months = await listModuleMonths(ctx, { ...input, months: 12 })
  return {
    labels: months.map(({ month }) => formatMonth(month)),
    starts: months.map(({ starts }) => starts),
    completions: months.map(({ completions }) => completions),
  }
}

type LearnerTablePage = { rows: ModuleLearnerRow[]; total: number; listed: number; state: string }

/**
 * Lists a page of learners, for staff. Throws NotFound if the module does not exist, which is not the same as an empty
 * list.
 */
export async function listLearnerRows(ctx: Ctx, input: ModuleLearnerPageInput): Promise<LearnerTablePage> {
  const { items, ...list } = await listModuleLearnerPage(ctx, input)
  if (list.listed === 0) await getModule(ctx, input)
  return { rows: items.map((learner) => rowOf(ctx, learner)), ...list }
}

/** Lists the next hundred learners after the cursor, for a file or for a table that loads everything. For staff. */
export async function listLearnerBatch(
  ctx: Ctx,
  input: Pick<ModuleLearnerPageInput, 'moduleUid' | 'search' | 'filters'> & { after: string | null },
): Promise<{ rows: ModuleLearnerRow[]; next: string | null }> {
  const { items, endCursor, hasNextPage } = await listModuleLearners(ctx, input)
  if (items.length === 0) await getModule(ctx, input)
  return { rows: items.map((learner) => rowOf(ctx, learner)), next: hasNextPage ? endCursor : null }
}

/** Lists the values that the learner list can be filtered by, for staff. */
export async function listLearnerFilterOptions(ctx: Ctx): Promise<{ group: FilterOption[] }> {
  const plans = await listAccessPlans(ctx)
  return { group: plans.map(({ uid, name }) => ({ value: uid, label: name })) }
}

function rowOf(ctx: Ctx, learner: ModuleLearner): ModuleLearnerRow {
  const { userUid, name, email, startedAt, completedAt, percent, score, isOpen, isFailing, planUid } = learner
  const { timeZone } = ctx.site
  return {
    uid: userUid,
    name: name || email,
    email,
    startedOn: formatDay(startedAt, timeZone),
    startedAt: startedAt.getTime(),
    completedOn: completedAt && formatDay(completedAt, timeZone),
    completedAt: completedAt?.getTime() ?? null,
    percent,
    score,
    isOpen,
    isFailing,
    planUid,
  }
}
