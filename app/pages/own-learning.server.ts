import type { Exchange } from '~/http/exchange.server.ts'
import { formatDay } from '~/lib/dates.ts'
import { itemsPerPage } from '~/lib/list-page.ts'
import { pageNumber } from '~/lib/table-query.ts'
import type { Ctx } from '~/services/context.ts'
import { listOwnModules } from '~/services/progress/progress.server.ts'
import { type LearningState, listOwnCourses, listOwnFilms } from '~/services/progress/started.server.ts'
import { getOwnLearning, type OwnLearning } from '~/services/read/own-learning.server.ts'
import { viewsOfCourseStates } from './courses.server.ts'
import { viewsOfProgress } from './modules.server.ts'

/** Reads what every page of the learner area needs to know about its viewer, once for all loaders of a request. */
export function ownLearningOf(ctx: Ctx, exchange: Exchange): Promise<OwnLearning> {
  const known = exchange.memo.get('own-learning') as Promise<OwnLearning> | undefined
  if (known) return known
  const learning = getOwnLearning(ctx)
  exchange.memo.set('own-learning', learning)
  return learning
}

const nothing = { items: [], total: 0 }

/**
 * Reads In Progress or Completed: a page of modules, and on the first page the first courses and films too. `after` in
 * the address opens the next page of modules. `?kind=courses` and `?kind=films` list all courses or all films in pages.
 */
export async function ownLearningRows(ctx: Ctx, request: Request, state: LearningState) {
  const { searchParams } = new URL(request.url)
  const kind = (['courses', 'films'] as const).find((known) => known === searchParams.get('kind')) ?? null
  const after = kind ? null : searchParams.get('after') || null
  const page = kind ? pageNumber(searchParams.get('page')) : 1
  const isShown = (one: typeof kind) => (kind ? one === kind : !after)
  const [modules, courses, films] = await Promise.all([
    kind ? { items: [], endCursor: null } : listOwnModules(ctx, { state, first: itemsPerPage, after }),
    isShown('courses') ? listOwnCourses(ctx, { state, page, size: itemsPerPage }) : nothing,
    isShown('films') ? listOwnFilms(ctx, { state, page, size: itemsPerPage }) : nothing,
  ])
  const [moduleViews, courseViews] = await Promise.all([
    viewsOfProgress(ctx, modules.items),
    viewsOfCourseStates(ctx, courses.items),
  ])
  const { timeZone } = ctx.site
  return {
    kind,
    page,
    size: itemsPerPage,
    after,
    next: modules.endCursor,
    films,
    courses: {
      total: courses.total,
      items: courseViews.map(({ startedAt, completedAt, ...course }) => ({
        ...course,
        startedOn: startedAt && formatDay(startedAt, timeZone),
        completedOn: completedAt && formatDay(completedAt, timeZone),
      })),
    },
    modules: moduleViews.map(({ startedAt, lastVisitedAt, completedAt, ...module }) => ({
      ...module,
      startedOn: formatDay(startedAt, timeZone),
      visitedOn: formatDay(lastVisitedAt, timeZone),
      completedOn: completedAt && formatDay(completedAt, timeZone),
    })),
  }
}
