/** The band at the top of the home page: what is due, what the viewer has begun, or the first course for a newcomer. */

import type { CourseView } from '~/components/courses/view.ts'
import type { HomeBand, HomeItem } from '~/components/home/view.ts'
import { actionOf, elsewhereNote, failedTestOf, type ModuleView } from '~/components/modules/view.ts'
import { dueInWords } from '~/lib/due.ts'
import { dayOf } from '~/lib/zoned-time.ts'
import { type DueWork, listDueWork } from '~/services/assignments/list-due-work.server.ts'
import type { Ctx } from '~/services/context.ts'
import { listCardsOfCourses } from '~/services/courses/cards.server.ts'
import { listCardsOfModules } from '~/services/modules/cards.server.ts'
import { findFirstCourse, listToContinue, type ToContinue } from '~/services/read/next-steps.server.ts'
import type { OwnLearning } from '~/services/read/own-learning.server.ts'
import { viewsOfCourses } from './courses.server.ts'
import { viewsOfCards } from './modules.server.ts'

/** How many things the home page offers to go on with. My Learning lists all of them. */
const mostToContinue = 3

/** How many days ahead the home page shows what is due before what was begun. */
const dueDays = 14

/** Returns null if there is nothing to go on with, and for a newcomer who can open no course. */
export async function findHomeBand(ctx: Ctx, learning: OwnLearning): Promise<HomeBand | null> {
  const due = await listDueWork(ctx, { days: dueDays, limit: mostToContinue })
  if (due.length > 0 || learning.inProgressCount > 0) return continueBand(ctx, due)
  return learning.completedCount === 0 ? firstCourseBand(ctx) : null
}

/** What is due comes first, also if it is not begun yet. */
async function continueBand(ctx: Ctx, due: DueWork[]): Promise<HomeBand | null> {
  const dueOf = new Map(due.map(({ uid, dueOn }) => [uid, dueInWords(dueOn, dayOf(ctx.now, ctx.site.timeZone))]))
  const begun = await listToContinue(ctx, { limit: mostToContinue })
  const shown = [...due, ...begun.filter(({ uid }) => !dueOf.has(uid))].slice(0, mostToContinue)
  const uidsOf = (kind: ToContinue['kind']) => shown.filter((item) => item.kind === kind).map(({ uid }) => uid)
  const [modules, courses] = await Promise.all([modulesOf(ctx, uidsOf('module')), coursesOf(ctx, uidsOf('course'))])
  const items = shown.flatMap((item): HomeItem[] => {
    if (item.kind === 'module') return modules.filter(({ uid }) => uid === item.uid).map(moduleItem)
    if (item.kind === 'course') return courses.filter(({ uid }) => uid === item.uid).map(courseItem)
    return 'percent' in item ? [filmItem({ ...item, kind: item.kind })] : []
  })
  const marked = items.map((item) => {
    const when = dueOf.get(item.uid)
    return when ? { ...item, detail: `${when} · ${item.detail}` } : item
  })
  if (marked.length === 0) return null
  return { title: due.length > 0 ? 'Your next steps' : 'Continue where you were', why: null, items: marked }
}

async function firstCourseBand(ctx: Ctx): Promise<HomeBand | null> {
  const first = await findFirstCourse(ctx)
  const [course] = first ? await coursesOf(ctx, [first.uid]) : []
  if (!first || !course) return null
  const why = first.chosen === null ? 'This is the first course of the list.' : `Because you chose “${first.chosen}”.`
  return { title: 'Start here', why, items: [courseItem(course)] }
}

async function modulesOf(ctx: Ctx, uids: string[]): Promise<ModuleView[]> {
  return uids.length === 0 ? [] : viewsOfCards(ctx, [...(await listCardsOfModules(ctx, uids)).values()])
}

async function coursesOf(ctx: Ctx, uids: string[]): Promise<CourseView[]> {
  return uids.length === 0 ? [] : viewsOfCourses(ctx, [...(await listCardsOfCourses(ctx, uids)).values()])
}

function moduleItem(module: ModuleView): HomeItem {
  const { uid, name, phase, cover, retakingPercent } = module
  const percent = retakingPercent ?? module.percent
  return {
    uid,
    name,
    to: `/modules/${uid}/`,
    detail: withDuration(module.step ?? 'Module', module),
    phase,
    cover,
    percent,
    percentText: failedTestOf(module) ?? (retakingPercent === null ? `${percent ?? 0}%` : `Retaking ${percent}%`),
    action: actionOf(module) === 'Start' ? 'Start' : 'Resume',
    press: module.versionUid ? { name: 'moduleVersionUid', value: module.versionUid } : null,
    note: module.isElsewhere ? elsewhereNote(module) : null,
  }
}

function courseItem(course: CourseView): HomeItem {
  const { uid, name, cover, percent, moduleCount, isStarted } = course
  return {
    uid,
    name,
    to: `/courses/${uid}/`,
    detail: withDuration(moduleCount === 1 ? 'Course, one module' : `Course, ${moduleCount} modules`, course),
    phase: null,
    cover,
    percent: isStarted ? percent : null,
    percentText: `${percent}%`,
    action: isStarted ? 'Resume' : 'Start',
    press: { name: 'course', value: uid },
    note: null,
  }
}

function withDuration(what: string, { duration }: { duration: string | null }): string {
  return duration ? `${what} · ${duration}` : what
}

function filmItem({ kind, uid, name, percent }: ToContinue & { kind: 'lecture' | 'video' }): HomeItem {
  return {
    uid,
    name,
    to: `/${kind}s/${uid}/`,
    detail: kind === 'lecture' ? 'Lecture' : 'Video',
    phase: null,
    cover: null,
    percent,
    percentText: `${percent}%`,
    action: 'Resume',
    press: null,
    note: null,
  }
}
