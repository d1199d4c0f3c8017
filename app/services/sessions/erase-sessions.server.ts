import type { SystemCtx } from '../context.ts'

/** Part of the erasure of people: what is left of their sessions. Visits stay, without a name. */
export async function eraseSessions(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  const { userIds } = input
  await ctx.db
    .deleteFrom('session_views')
    .where((eb) => eb.or([eb('user_id', 'in', userIds), eb('created_by', 'in', userIds)]))
    .execute()
  await ctx.db.deleteFrom('sessions').where('user_id', 'in', userIds).execute()
}
