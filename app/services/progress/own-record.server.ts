/** What the viewer has completed, as a record to print: all of it at once, also what is no longer offered. */
import { sql } from 'kysely'
import type { FailedTest } from '~/lib/failed-test.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { failedTest } from './failed-test.ts'
import { wholeScore } from './reads.server.ts'

type CompletedModule = { name: string; completedAt: Date; highestScore: number | null; failedTest: FailedTest }
type CompletedCourse = { name: string; completedAt: Date }

/** `isCut` is true if there is more of a kind than `mostCompletions`. */
export type OwnRecord = { modules: CompletedModule[]; courses: CompletedCourse[]; isCut: boolean }

export const mostCompletions = 1000

/** Lists completed courses and modules, latest first. Scores are the best of all attempts, in whole percent. */
export async function getOwnRecord(ctx: Ctx): Promise<OwnRecord> {
  const viewer = requireViewer(ctx)
  const [modules, courses] = await Promise.all([
    ctx.db
      .selectFrom('module_progress as p')
      .innerJoin('modules', 'modules.id', 'p.module_id')
      .select([
        'modules.name',
        sql<Date>`p.completed_at`.as('completedAt'),
        wholeScore.as('highestScore'),
        failedTest.as('failedTest'),
      ])
      .where('p.user_id', '=', viewer.id)
      .where('p.completed_at', 'is not', null)
      .orderBy('p.completed_at', 'desc')
      .orderBy('p.module_id')
      .limit(mostCompletions + 1)
      .execute(),
    ctx.db
      .selectFrom('course_progress as p')
      .innerJoin('courses', 'courses.id', 'p.course_id')
      .select(['courses.name', sql<Date>`p.completed_at`.as('completedAt')])
      .where('p.user_id', '=', viewer.id)
      .where('p.completed_at', 'is not', null)
      .orderBy('p.completed_at', 'desc')
      .orderBy('p.course_id')
      .limit(mostCompletions + 1)
      .execute(),
  ])
  return {
    modules: modules.slice(0, mostCompletions),
    courses: courses.slice(0, mostCompletions),
    isCut: modules.length > mostCompletions || courses.length > mostCompletions,
  }
}
