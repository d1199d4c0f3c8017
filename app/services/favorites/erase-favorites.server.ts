import type { SystemCtx } from '../context.ts'

/** Part of the erasure of people: what they have saved. */
export async function eraseFavorites(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  await ctx.db.deleteFrom('favorites').where('user_id', 'in', input.userIds).execute()
}
