import type { SystemCtx } from '../context.ts'
import { daysAgo, restorableDays } from '../restorable.ts'

/** Job: deletes saved views and scheduled reports that can no longer be brought back. */
export async function purgeDeletedReports(ctx: SystemCtx): Promise<void> {
  await ctx.db.deleteFrom('saved_views').where('deleted_at', '<=', daysAgo(ctx, restorableDays)).execute()
  await ctx.db.deleteFrom('scheduled_reports').where('deleted_at', '<=', daysAgo(ctx, restorableDays)).execute()
}
