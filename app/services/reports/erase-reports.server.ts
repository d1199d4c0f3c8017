import type { SystemCtx } from '../context.ts'

/**
 * Part of the erasure of people: the views that they saved, and the reports that they scheduled, were sent or had
 * prepared as files. `deleteExpiredReportFiles` deletes the bytes of these.
 */
export async function eraseReports(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  await ctx.db.deleteFrom('saved_views').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('scheduled_reports').where('owner_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('scheduled_report_recipients').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('report_files').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('report_run_people').where('user_id', 'in', input.userIds).execute()
}
