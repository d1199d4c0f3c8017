import type { SystemCtx } from '../context.ts'

/** Part of the erasure of people: what is left of their sessions. Visits stay, without a name. */
export async function eraseSessions(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  await ctx.db.deleteFrom('sessions').where('user_id', 'in', input.userIds).execute()
}
