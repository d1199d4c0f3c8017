/** The viewer's assignments, as My Learning shows them. */
import type { CourseView } from '~/components/courses/view.ts'
import type { ModuleView } from '~/components/modules/view.ts'
import { listOwnAssignments, type OwnAssignment } from '~/services/assignments/assignments.server.ts'
import type { Ctx } from '~/services/context.ts'
import { listCardsOfCourses } from '~/services/courses/cards.server.ts'
import { listCardsOfModules } from '~/services/modules/cards.server.ts'
import type { NumberedPageInput } from '~/services/paging.ts'
import { viewsOfCourses } from './courses.server.ts'
import { viewsOfCards } from './modules.server.ts'

type AssignedView = OwnAssignment & { module: ModuleView | null; course: CourseView | null }

/**
 * Lists a page of assignments, newest first. An assignment without access has no view, because the viewer may see only
 * its name.
 */
export async function listAssignedViews(
  ctx: Ctx,
  input: NumberedPageInput,
): Promise<{ items: AssignedView[]; total: number }> {
  const { items: shown, total } = await listOwnAssignments(ctx, input)
  const uidsOf = (kind: OwnAssignment['kind']) =>
    shown.filter((item) => item.kind === kind && item.hasAccess).map(({ uid }) => uid)
  const [modules, courses] = await Promise.all([
    listCardsOfModules(ctx, uidsOf('module')).then((cards) => viewsOfCards(ctx, [...cards.values()])),
    listCardsOfCourses(ctx, uidsOf('course')).then((cards) => viewsOfCourses(ctx, [...cards.values()])),
  ])
  return {
    total,
    items: shown.map((item) => ({
      ...item,
      module: modules.find(({ uid }) => uid === item.uid) ?? null,
      course: courses.find(({ uid }) => uid === item.uid) ?? null,
    })),
  }
}
