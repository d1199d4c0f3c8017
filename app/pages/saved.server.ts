/** The content that the viewer has saved, as My Learning shows it. */

import type { CourseView } from '~/components/courses/view.ts'
import type { FilmView } from '~/components/media/view.ts'
import type { ModuleView } from '~/components/modules/view.ts'
import type { StudyUnitType } from '~/forms/favorites.ts'
import type { Ctx } from '~/services/context.ts'
import { listCardsOfCourses } from '~/services/courses/cards.server.ts'
import { getFavorites } from '~/services/favorites/favorites.server.ts'
import { listCardsOfLectures } from '~/services/lectures/lectures.server.ts'
import { listCardsOfModules } from '~/services/modules/cards.server.ts'
import { listVideosByUid } from '~/services/videos/videos.server.ts'
import { viewsOfCourses } from './courses.server.ts'
import { viewsOfLectures, viewsOfVideos } from './films.server.ts'
import { viewsOfCards } from './modules.server.ts'

type SavedPage = {
  counts: Record<StudyUnitType, number>
  /** The kind that the page shows: the requested one, or else the first kind with saved content. */
  type: StudyUnitType
  modules: ModuleView[]
  courses: CourseView[]
  films: FilmView[]
}

const order = ['course', 'module', 'video', 'lecture'] as const

/** Reads one kind at a time, newest first. The cards of the page take at most three queries after the list itself. */
export async function getSavedPage(
  ctx: Ctx,
  input: { type: StudyUnitType | null; limit: number; offset: number },
): Promise<SavedPage> {
  const { courseUids, moduleUids, videoUids, lectureUids } = await getFavorites(ctx)
  const uids = { course: courseUids, module: moduleUids, video: videoUids, lecture: lectureUids }
  const type = input.type ?? order.find((one) => uids[one].length > 0) ?? 'course'
  const shown = uids[type].slice(input.offset, input.offset + input.limit)
  const inOrder = <T>(cards: Map<string, T>) => shown.flatMap((uid) => cards.get(uid) ?? [])
  const page: SavedPage = {
    counts: {
      course: courseUids.length,
      module: moduleUids.length,
      video: videoUids.length,
      lecture: lectureUids.length,
    },
    type,
    modules: [],
    courses: [],
    films: [],
  }
  if (shown.length === 0) return page
  if (type === 'module')
    return { ...page, modules: await viewsOfCards(ctx, inOrder(await listCardsOfModules(ctx, shown))) }
  if (type === 'course') {
    return { ...page, courses: await viewsOfCourses(ctx, inOrder(await listCardsOfCourses(ctx, shown))) }
  }
  const films =
    type === 'video'
      ? await viewsOfVideos(ctx, inOrder(await listVideosByUid(ctx, shown)))
      : await viewsOfLectures(ctx, inOrder(await listCardsOfLectures(ctx, shown)))
  return { ...page, films }
}
