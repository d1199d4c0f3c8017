import type { SystemCtx } from '../context.ts'

/** Part of the erasure of people: their events and searches stay, without them. */
export async function eraseEvents(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  await ctx.db.updateTable('events').set({ user_id: null }).where('user_id', 'in', input.userIds).execute()
  await ctx.db.updateTable('search_queries').set({ user_id: null }).where('user_id', 'in', input.userIds).execute()
}
