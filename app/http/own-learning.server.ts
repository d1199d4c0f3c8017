import { formatDay } from '~/lib/dates.ts'
import type { Ctx } from '~/services/context.ts'
import { listOwnModules } from '~/services/progress/progress.server.ts'
import { type LearningState, listOwnCourses, listOwnFilms } from '~/services/progress/started.server.ts'
import { viewsOfCourseStates } from '~/services/read/course-views.server.ts'
import { viewsOfProgress } from '~/services/read/module-views.server.ts'
import { getOwnLearning, type OwnLearning } from '~/services/read/own-learning.server.ts'
import type { Exchange } from './exchange.server.ts'

/** What every page of the learner area asks about its viewer, read once for all loaders of a request. */
export function ownLearningOf(ctx: Ctx, exchange: Exchange): Promise<OwnLearning> {
  const known = exchange.memo.get('own-learning') as Promise<OwnLearning> | undefined
  if (known) return known
  const asked = getOwnLearning(ctx)
  exchange.memo.set('own-learning', asked)
  return asked
}

const mostBeside = 12

/** In Progress or Completed: a page of modules (`after` in the address leads on), and on the first one courses and films. */
export async function ownLearningRows(ctx: Ctx, request: Request, state: LearningState) {
  const after = new URL(request.url).searchParams.get('after')
  const { timeZone } = ctx.site
  const [page, courses, films] = await Promise.all([
    listOwnModules(ctx, { state, first: 20, after }),
    after ? [] : listOwnCourses(ctx, { state, limit: mostBeside }).then((states) => viewsOfCourseStates(ctx, states)),
    after ? [] : listOwnFilms(ctx, { state, limit: mostBeside }),
  ])
  const views = await viewsOfProgress(ctx, page.items)
  return {
    after,
    next: page.endCursor,
    films,
    courses: courses.map(({ startedAt, completedAt, ...course }) => ({
      ...course,
      startedOn: startedAt && formatDay(startedAt, timeZone),
      completedOn: completedAt && formatDay(completedAt, timeZone),
    })),
    modules: views.map(({ startedAt, lastVisitedAt, completedAt, ...module }) => ({
      ...module,
      startedOn: formatDay(startedAt, timeZone),
      visitedOn: formatDay(lastVisitedAt, timeZone),
      completedOn: completedAt && formatDay(completedAt, timeZone),
    })),
  }
}
