import { formatDay } from '~/lib/dates.ts'
import type { Ctx } from '~/services/context.ts'
import { listOwnModules } from '~/services/progress/progress.server.ts'
import { viewsOfProgress } from '~/services/read/module-views.server.ts'
import { getOwnLearning, type OwnLearning } from '~/services/read/own-learning.server.ts'
import type { Exchange } from './exchange.server.ts'

/** The sums of the viewer's learning, read once for all loaders of a request. */
export function ownLearningOf(ctx: Ctx, exchange: Exchange): Promise<OwnLearning> {
  const known = exchange.memo.get('own-learning') as Promise<OwnLearning> | undefined
  if (known) return known
  const asked = getOwnLearning(ctx)
  exchange.memo.set('own-learning', asked)
  return asked
}

/** A page of In Progress or Completed; `after` in the address leads on. */
export async function ownModuleRows(ctx: Ctx, request: Request, state: 'in_progress' | 'completed') {
  const after = new URL(request.url).searchParams.get('after')
  const page = await listOwnModules(ctx, { state, first: 20, after })
  const views = await viewsOfProgress(ctx, page.items)
  const { timeZone } = ctx.site
  return {
    total: page.total,
    after,
    next: page.endCursor,
    modules: views.map(({ startedAt, lastVisitedAt, completedAt, ...module }) => ({
      ...module,
      startedOn: formatDay(startedAt, timeZone),
      visitedOn: formatDay(lastVisitedAt, timeZone),
      completedOn: completedAt && formatDay(completedAt, timeZone),
    })),
  }
}
