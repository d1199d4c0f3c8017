import type { ContentItem } from '~/components/learning/view.ts'
import type { Ctx } from '~/services/context.ts'
import { listCardsOfCourses } from '~/services/courses/cards.server.ts'
import { listCardsOfLectures } from '~/services/lectures/lectures.server.ts'
import { listCardsOfModules } from '~/services/modules/cards.server.ts'
import { type ContentKey, listAllContent } from '~/services/read/all-content.server.ts'
import { listVideosByUid } from '~/services/videos/videos.server.ts'
import { viewsOfCourses } from './courses.server.ts'
import { viewsOfLectures, viewsOfVideos } from './films.server.ts'
import { viewsOfCards } from './modules.server.ts'

/** Reads a page of the All Content list, with the same cards as the lists of each kind. */
export async function listContentItems(ctx: Ctx, input: Parameters<typeof listAllContent>[1]) {
  const { counts, items } = await listAllContent(ctx, input)
  return { counts, items: await cardsOf(ctx, items) }
}

/** The order stays. An item that has disappeared meanwhile is missing. Takes at most three queries for each kind. */
async function cardsOf(ctx: Ctx, keys: ContentKey[]): Promise<ContentItem[]> {
  const uidsOf = (kind: ContentKey['kind']) => keys.filter((key) => key.kind === kind).map(({ uid }) => uid)
  const [courses, modules, videos, lectures] = await Promise.all([
    listCardsOfCourses(ctx, uidsOf('course')).then((cards) => viewsOfCourses(ctx, [...cards.values()])),
    listCardsOfModules(ctx, uidsOf('module')).then((cards) => viewsOfCards(ctx, [...cards.values()])),
    listVideosByUid(ctx, uidsOf('video')).then((cards) => viewsOfVideos(ctx, [...cards.values()])),
    listCardsOfLectures(ctx, uidsOf('lecture')).then((cards) => viewsOfLectures(ctx, [...cards.values()])),
  ])
  const items = new Map<string, ContentItem>([
    ...courses.map((course): [string, ContentItem] => [course.uid, { kind: 'course', course }]),
    ...modules.map((module): [string, ContentItem] => [module.uid, { kind: 'module', module }]),
    ...[...videos, ...lectures].map((film): [string, ContentItem] => [film.uid, { kind: film.kind, film }]),
  ])
  return keys.flatMap(({ uid }) => items.get(uid) ?? [])
}
