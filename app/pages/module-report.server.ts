/** A module's report for the console: its figures, and its learners as rows of the table and of the file. */
import type { ModuleLearnerRow } from '~/components/console/modules/view.ts'
import { formatDate } from '~/lib/dates.ts'
import { isUid } from '~/lib/uid.ts'
import type { Ctx } from '~/services/context.ts'
import { Forbidden, NotFound } from '~/services/errors.ts'
import { getModule } from '~/services/modules/modules.server.ts'
import { listModuleStatistics, type ModuleStatistics } from '~/services/modules/statistics.server.ts'
import {
  listModuleLearnerPage,
  listModuleLearners,
  type ModuleLearner,
  type ModuleLearnerPageInput,
} from '~/services/progress/progress.server.ts'

/** For staff. */
export async function getModuleStatistics(ctx: Ctx, input: { moduleUid: string }): Promise<ModuleStatistics> {
  if (!isUid(input.moduleUid)) throw new NotFound()
  const all = await listModuleStatistics(ctx, [input.moduleUid])
  if (!all) throw new Forbidden()
  const own = all.get(input.moduleUid.toLowerCase())
  if (!own) throw new NotFound()
  return own
}

/** For staff: a page of the learner list. Of a module that is not there nothing is listed, which is not the same as an empty list. */
export async function listLearnerRows(
  ctx: Ctx,
  input: ModuleLearnerPageInput,
): Promise<{ rows: ModuleLearnerRow[]; total: number }> {
  const { items, total } = await listModuleLearnerPage(ctx, input)
  if (total === 0) await getModule(ctx, input)
  return { rows: items.map((learner) => rowOf(ctx, learner)), total }
}

/** For staff: a hundred from after the cursor. */
export async function listLearnerBatch(
  ctx: Ctx,
  input: { moduleUid: string; after: string | null; search?: string },
): Promise<{ rows: ModuleLearnerRow[]; next: string | null }> {
  const { items, endCursor, hasNextPage } = await listModuleLearners(ctx, { ...input, first: 100 })
  if (items.length === 0) await getModule(ctx, input)
  return { rows: items.map((learner) => rowOf(ctx, learner)), next: hasNextPage ? endCursor : null }
}

function rowOf(ctx: Ctx, learner: ModuleLearner): ModuleLearnerRow {
  const { userUid, name, email, startedAt, completedAt, percent, score } = learner
  const { timeZone } = ctx.site
  return {
    uid: userUid,
    name: name || email,
    email,
    startedOn: formatDate(startedAt, timeZone),
    startedAt: startedAt.getTime(),
    completedOn: completedAt && formatDate(completedAt, timeZone),
    completedAt: completedAt?.getTime() ?? null,
    percent,
    score,
  }
}
