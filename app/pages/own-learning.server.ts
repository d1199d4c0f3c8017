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
const noModules = { items: [], endCursor: null }

const kinds = ['courses', 'films', 'retakes'] as const

/**
 * Reads In Progress or Completed: a page of modules, and on the first page the first courses and films too. In Progress
 * also has the completed modules that are being retaken. `after` in the address opens the next page of modules or
 * retakes. `?kind=` lists all courses, films or retakes in pages.
 */
export async function ownLearningRows(ctx: Ctx, request: Request, state: LearningState) {
  const { searchParams } = new URL(request.url)
  const kind = kinds.find((known) => known === searchParams.get('kind')) ?? null
  const isByCursor = kind === null || kind === 'retakes'
  const after = isByCursor ? searchParams.get('after') || null : null
  const page = isByCursor ? 1 : pageNumber(searchParams.get('page'))
  const isShown = (one: typeof kind) => (kind ? one === kind : !after)
  const [modules, retakes, courses, films] = await Promise.all([
    kind ? noModules : listOwnModules(ctx, { state, first: itemsPerPage, after }),
    state === 'in_progress' && isShown('retakes')
      ? listOwnModules(ctx, { state: 'retaking', first: itemsPerPage, after })
      : noModules,
    isShown('courses') ? listOwnCourses(ctx, { state, page, size: itemsPerPage }) : nothing,
    isShown('films') ? listOwnFilms(ctx, { state, page, size: itemsPerPage }) : nothing,
  ])
  const [moduleViews, courseViews] = await Promise.all([
    viewsOfProgress(ctx, [...modules.items, ...retakes.items]),
    viewsOfCourseStates(ctx, courses.items),
  ])
  const { timeZone } = ctx.site
  const rows = moduleViews.map(({ startedAt, lastVisitedAt, completedAt, ...module }) => ({
    ...module,
    startedOn: formatDay(startedAt, timeZone),
    visitedOn: formatDay(lastVisitedAt, timeZone),
    completedOn: completedAt && formatDay(completedAt, timeZone),
  }))
  const retaken = new Set(retakes.items.map(({ moduleUid }) => moduleUid))
  return {
    kind,
    page,
    size: itemsPerPage,
    after,
    next: modules.endCursor,
    nextRetakes: retakes.endCursor,
    films,
    courses: {
      total: courses.total,
      items: courseViews.map(({ startedAt, completedAt, ...course }) => ({
        ...course,
        startedOn: startedAt && formatDay(startedAt, timeZone),
        completedOn: completedAt && formatDay(completedAt, timeZone),
      })),
    },
    modules: rows.filter(({ uid }) => !retaken.has(uid)),
    retakes: rows.filter(({ uid }) => retaken.has(uid)),
  }
}
