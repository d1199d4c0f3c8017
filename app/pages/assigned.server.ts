/** The viewer's assignments, as My Learning shows them. */
import type { CourseView } from '~/components/courses/view.ts'
import type { ModuleView } from '~/components/modules/view.ts'
import { listOwnAssignments, type OwnAssignment } from '~/services/assignments/assignments.server.ts'
import type { Ctx } from '~/services/context.ts'
import { listCardsOfCourses } from '~/services/courses/cards.server.ts'
import { listCardsOfModules } from '~/services/modules/cards.server.ts'
import type { NumberedPageInput } from '~/services/paging.ts'
import { findOwnCourseStates } from '~/services/progress/own-courses.server.ts'
import { findOwnModulesProgress } from '~/services/progress/progress.server.ts'
import { viewsOfCourseStates, viewsOfCourses } from './courses.server.ts'
import { viewsOfCards, viewsOfProgress } from './modules.server.ts'

type AssignedView = OwnAssignment & { module: ModuleView | null; course: CourseView | null }

/**
 * Lists a page of assignments, what is due first. An assignment without access has a view only if the viewer has started it:
 * of anything else the viewer may see only the name.
 */
export async function listAssignedViews(
  ctx: Ctx,
  input: NumberedPageInput,
): Promise<{ items: AssignedView[]; total: number }> {
  const { items: shown, total } = await listOwnAssignments(ctx, input)
  const uidsOf = (kind: OwnAssignment['kind']) =>
    shown.filter((item) => item.kind === kind && item.hasAccess).map(({ uid }) => uid)
  const closedOf = (kind: OwnAssignment['kind']) =>
    shown.filter((item) => item.kind === kind && !item.hasAccess && !item.isComingSoon).map(({ uid }) => uid)
  const [modules, courses] = await Promise.all([
    listCardsOfModules(ctx, uidsOf('module')).then((cards) => viewsOfCards(ctx, [...cards.values()])),
    listCardsOfCourses(ctx, uidsOf('course')).then((cards) => viewsOfCourses(ctx, [...cards.values()])),
  ])
  const [startedModules, startedCourses] = await Promise.all([
    findOwnModulesProgress(ctx, { moduleUids: closedOf('module') }),
    findOwnCourseStates(ctx, { courseUids: closedOf('course') }),
  ])
  modules.push(...(await viewsOfProgress(ctx, [...startedModules.values()])))
  const begun = [...startedCourses].flatMap(([uid, state]) => (state.startedAt ? [{ uid, ...state }] : []))
  courses.push(...(await viewsOfCourseStates(ctx, begun)))
  return {
    total,
    items: shown.map((item) => ({
      ...item,
      module: modules.find(({ uid }) => uid === item.uid) ?? null,
      course: courses.find(({ uid }) => uid === item.uid) ?? null,
    })),
  }
}
