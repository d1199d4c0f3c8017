/** What the viewer has started, for the table of My Progress: a page by number, the newest first. */
import { sql } from 'kysely'
import { isListed } from '../access/access.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { limitsOfPage, type NumberedPageInput } from '../paging.ts'
import { percentOf } from './own-courses.server.ts'

export type StartedUnit = {
  uid: string
  name: string
  startedAt: Date
  percent: number
  /** What a launch names; null for courses, and where the module cannot be opened any more. */
  versionUid: string | null
}

type Started = { items: StartedUnit[]; total: number }

export async function listStartedModules(ctx: Ctx, input: NumberedPageInput): Promise<Started> {
  const viewer = requireViewer(ctx)
  const { limit, offset } = limitsOfPage(input)
  const rows = await ctx.db
    .selectFrom('module_progress as p')
    .innerJoin('modules', 'modules.id', 'p.module_id')
    .leftJoin('module_versions as v', 'v.id', 'modules.published_version_id')
    .select([
      'modules.uid',
      'modules.name',
      'p.started_at as startedAt',
      'p.progress_percent as percent',
      'v.uid as versionUid',
      sql<number>`count(*) over ()`.as('total'),
    ])
    .where('p.user_id', '=', viewer.id)
    .where(isListed(ctx, 'modules'))
    .orderBy('p.started_at', 'desc')
    .orderBy('p.module_id')
    .limit(limit)
    .offset(offset)
    .execute()
  return started(rows)
}

export async function listStartedCourses(ctx: Ctx, input: NumberedPageInput): Promise<Started> {
  const viewer = requireViewer(ctx)
  const { limit, offset } = limitsOfPage(input)
  const rows = await ctx.db
    .selectFrom('course_progress as p')
    .innerJoin('courses', 'courses.id', 'p.course_id')
    .select([
      'courses.uid',
      'courses.name',
      'p.started_at as startedAt',
      percentOf(sql.ref('p.user_id')).as('percent'),
      sql<string | null>`null::uuid`.as('versionUid'),
      sql<number>`count(*) over ()`.as('total'),
    ])
    .where('p.user_id', '=', viewer.id)
    .where(isListed(ctx, 'courses'))
    .orderBy('p.started_at', 'desc')
    .orderBy('p.course_id')
    .limit(limit)
    .offset(offset)
    .execute()
  return started(rows)
}

function started(rows: (StartedUnit & { total: number })[]): Started {
  return { items: rows.map(({ total: _, ...item }) => item), total: rows[0]?.total ?? 0 }
}
