/** The console's tables of lectures and videos: one page, a short list in batches, the latest changes, and the filters' choices. */
import type { FilmRow } from '~/components/console/films/view.ts'
import { lectureStates, videoStates } from '~/forms/film-tables.ts'
import { type FilmKindName, filmPhases } from '~/forms/films.ts'
import { videoCategories } from '~/forms/videos.ts'
import { formatDay } from '~/lib/dates.ts'
import type { FilterOption } from '~/lib/table-query.ts'
import type { Ctx } from '~/services/context.ts'
import {
  describeFilmList,
  type FilmEntry,
  type FilmPageInput,
  listFilmEntries,
  listFilmFilterPlans,
  listFilmPage,
  listFilmsChangedSince,
} from '~/services/films/table.server.ts'
import { listLectures } from '~/services/lectures/lectures.server.ts'
import { listVideos } from '~/services/videos/videos.server.ts'
import { filterOptionOf } from './content-table.server.ts'

type FilmTablePage = { rows: FilmRow[]; total: number; listed: number; state: string }

/** Reads one page of the table, for staff. */
export async function listFilmTablePage(ctx: Ctx, input: FilmPageInput): Promise<FilmTablePage> {
  const [{ items, total }, list] = await Promise.all([listFilmPage(ctx, input), describeFilmList(ctx, input)])
  return { rows: rowsOf(ctx, items), total, ...list }
}

/** Answers the requests of the table in the browser: see `source` in components/console/grid/types.ts. */
export async function answerFilmTable(ctx: Ctx, kind: FilmKindName, params: URLSearchParams): Promise<unknown> {
  const state = params.get('since')
  if (state !== null) {
    const changes = await listFilmsChangedSince(ctx, { kind, state })
    return changes && { rows: rowsOf(ctx, changes.items), gone: changes.goneUids }
  }
  const filter = params.get('options')
  if (filter === 'group') return (await listFilmOptions(ctx, { search: params.get('search') ?? '' })).group
  if (filter !== null) return []
  const page = { first: 100, after: params.get('after') }
  const { items, endCursor, hasNextPage } =
    kind === 'lecture' ? await listLectures(ctx, page) : await listVideos(ctx, page)
  const entries = await listFilmEntries(ctx, { kind, uids: items.map(({ uid }) => uid) })
  return { rows: rowsOf(ctx, entries), next: hasNextPage ? endCursor : null }
}

/** Lists the groups to filter by, for staff, including those that the query has chosen. */
export async function listFilmOptions(
  ctx: Ctx,
  input: Pick<FilmPageInput, 'filters' | 'search'> = {},
): Promise<{ group: FilterOption[] }> {
  return { group: (await listFilmFilterPlans(ctx, input)).map(filterOptionOf) }
}

/** The values that each filter knows. */
export function knownFilmFilters(kind: FilmKindName, options: { group: FilterOption[] }) {
  const asOptions = (values: readonly string[]) => values.map((value) => ({ value }))
  return {
    ...options,
    status: asOptions(kind === 'lecture' ? lectureStates : videoStates),
    phase: asOptions(filmPhases),
    category: asOptions(videoCategories),
  }
}

function rowsOf(ctx: Ctx, entries: FilmEntry[]): FilmRow[] {
  return entries.map(({ plans, updatedAt, ...entry }) => ({
    ...entry,
    planUids: plans.map(({ uid }) => uid),
    updatedOn: formatDay(updatedAt, ctx.site.timeZone),
    updatedAt: updatedAt.getTime(),
  }))
}
