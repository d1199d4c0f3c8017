/**
 * Courses as learners see them: cards with the viewer's progress, and the page of a course with the progress in each
 * module.
 */

import type { CourseDetails, CourseSection, CourseView } from '~/components/courses/view.ts'
import type { ModuleView } from '~/components/modules/view.ts'
import { aboutMinutes } from '~/lib/duration.ts'
import { imageAddress } from '~/lib/file-address.ts'
import type { TextPart } from '~/lib/glossary-words.ts'
import type { Ctx } from '~/services/context.ts'
import {
  type CourseCard,
  type CourseOutline,
  findCourseOutline,
  listCardsOfStartedCourses,
} from '~/services/courses/cards.server.ts'
import { findSaved } from '~/services/favorites/favorites.server.ts'
import { listCardsOfModules } from '~/services/modules/cards.server.ts'
import { type CourseState, findOwnCourseStates } from '~/services/progress/own-courses.server.ts'
import { findOwnModulesProgress } from '~/services/progress/progress.server.ts'
import { viewOf } from './modules.server.ts'
import { termsOf } from './terms.server.ts'

/** A course in My Learning. `isListed` is false if the viewer's access no longer includes it. */
type StartedCourseView = CourseView & { isListed: boolean; startedAt: Date | null; completedAt: Date | null }

/** Makes views for progress rows, which have no Save button. The order stays. */
export async function viewsOfCourseStates(
  ctx: Ctx,
  states: (CourseState & { uid: string })[],
): Promise<StartedCourseView[]> {
  const cards = await listCardsOfStartedCourses(
    ctx,
    states.map(({ uid }) => uid),
  )
  return states.flatMap((state) => {
    const card = cards.get(state.uid)
    const { startedAt, completedAt } = state
    return card ? [{ ...courseViewOf(card, state, new Set()), isListed: card.isListed, startedAt, completedAt }] : []
  })
}

/** Adds the viewer's progress and saved state to cards, with two queries for all of them. */
export async function viewsOfCourses(ctx: Ctx, cards: CourseCard[]): Promise<CourseView[]> {
  const uids = cards.map(({ uid }) => uid)
  const [states, saved] = await Promise.all([
    findOwnCourseStates(ctx, { courseUids: uids }),
    findSaved(ctx, { type: 'course', uids }),
  ])
  return cards.map((card) => courseViewOf(card, states.get(card.uid), saved))
}

export function courseViewOf(card: CourseCard, state: CourseState | undefined, saved: ReadonlySet<string>): CourseView {
  const { uid, name, synopsis, moduleCount, isPublished } = card
  const percent = state?.percent ?? 0
  return {
    uid,
    name,
    synopsis,
    cover: card.cover && { address: imageAddress(card.cover.imageUid), alt: card.coverImgDesc },
    moduleCount,
    duration: aboutMinutes(card.minutes, { isLeast: card.isAtLeast }),
    isPublished,
    percent,
    isStarted: state?.startedAt != null,
    // A completed course stays completed, even if its next version has more modules.
    isCompleted: percent === 100 || state?.completedAt != null,
    isSaved: saved.has(uid),
  }
}

export type CoursePage = CourseDetails & {
  startedAt: Date | null
  /** The version of the next module, which a launch needs. */
  nextVersionUid: string | null
}

/** Returns null if the viewer may not see the course. */
export async function findCoursePage(ctx: Ctx, input: { courseUid: string }): Promise<CoursePage | null> {
  const outline = await findCourseOutline(ctx, input)
  if (!outline) return null
  const moduleUids = outline.sections.flatMap(({ chapters }) => chapters.flatMap(({ moduleUids }) => moduleUids))
  const courseUids = [outline.uid]
  const description = outline.description || outline.synopsis
  const [states, saved, cards, progress, terms] = await Promise.all([
    findOwnCourseStates(ctx, { courseUids }),
    findSaved(ctx, { type: 'course', uids: courseUids }),
    listCardsOfModules(ctx, moduleUids),
    findOwnModulesProgress(ctx, { moduleUids }),
    termsOf(ctx, [description, ...descriptionsIn(outline.sections)], { kind: 'courses', uid: outline.uid }),
  ])
  // The rows of a course have no Save button, so no saved state is read for them.
  const views = new Map([...cards].map(([uid, card]) => [uid, viewOf(card, progress.get(uid), new Set())]))
  const inOrder = moduleUids.flatMap((uid) => views.get(uid) ?? [])
  const lastVisited = inOrder
    .filter(({ percent, versionUid }) => percent !== null && percent < 100 && versionUid !== null)
    .sort((a, b) => visited(progress, b.uid) - visited(progress, a.uid))[0]
  const next = lastVisited ?? inOrder.find(({ percent, versionUid }) => percent !== 100 && versionUid !== null)
  return {
    ...courseViewOf(outline, states.get(outline.uid), saved),
    startedAt: states.get(outline.uid)?.startedAt ?? null,
    description: terms.mark(description),
    learningObjectives: outline.learningObjectives,
    bannerAddress: outline.banner && imageAddress(outline.banner.imageUid),
    sections: shownSections(outline.sections, views, terms.mark),
    countedCount: inOrder.filter(isCounted).length,
    completedCount: inOrder.filter((module) => isCounted(module) && module.percent === 100).length,
    hiddenCount: moduleUids.length - inOrder.length,
    nextModuleUid: next?.uid ?? null,
    nextVersionUid: next?.versionUid ?? null,
  }
}

export function descriptionsIn(sections: CourseOutline['sections']): string[] {
  return sections.flatMap(({ description, chapters }) => [description, ...chapters.map((one) => one.description)])
}

/** Leaves out the chapters of which the viewer sees no module. They would only say "0 of 0 modules". */
export function shownSections(
  sections: CourseOutline['sections'],
  views: Map<string, ModuleView>,
  mark: (text: string) => TextPart[],
): CourseSection[] {
  return sections.flatMap(({ rank: _, ...section }, index) => {
    const chapters = section.chapters.flatMap(({ moduleUids, ...chapter }) => {
      const modules = moduleUids.flatMap((uid) => views.get(uid) ?? [])
      if (modules.length === 0 && moduleUids.length > 0) return []
      return [{ ...chapter, description: mark(chapter.description), modules }]
    })
    if (chapters.length === 0 && section.chapters.length > 0) return []
    return [{ ...section, number: index + 1, description: mark(section.description), chapters }]
  })
}

/** Announced modules are listed, but do not count before they open. Staff see drafts, which do not count either. */
function isCounted({ versionUid, isElsewhere }: ModuleView): boolean {
  return versionUid !== null || isElsewhere
}

function visited(progress: Awaited<ReturnType<typeof findOwnModulesProgress>>, uid: string): number {
  return progress.get(uid)?.lastVisitedAt.getTime() ?? 0
}
