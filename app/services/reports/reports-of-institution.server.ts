import { sql } from 'kysely'
import { type Ctx, requireAdmin } from '../context.ts'

/**
 * Counts the saved views and the scheduled reports that are about the people of one institution. They stop working when
 * it is deleted.
 */
export async function countReportsOfInstitution(
  ctx: Ctx,
  input: { institutionUid: string },
): Promise<{ views: number; schedules: number }> {
  requireAdmin(ctx)
  const isAbout = sql`
    site_id = ${ctx.site.id} and deleted_at is null
    and lower(question -> 'filters' ->> 'institution') = ${input.institutionUid.toLowerCase()}`
  const { rows } = await sql<{ views: number; schedules: number }>`
    select (select count(*)::int from saved_views where ${isAbout}) as views,
      (select count(*)::int from scheduled_reports where ${isAbout}) as schedules`.execute(ctx.db)
  return rows[0] ?? { views: 0, schedules: 0 }
}
