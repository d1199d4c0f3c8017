import type { SystemCtx } from '../context.ts'

/** Part of the erasure of people: what they have typed and not saved. */
export async function eraseDrafts(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  await ctx.db.deleteFrom('form_drafts').where('user_id', 'in', input.userIds).execute()
}
