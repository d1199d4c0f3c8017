import type { SystemCtx } from '../context.ts'

/** Part of the erasure of people: their own invitations. */
export async function eraseInvitations(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  await ctx.db.deleteFrom('invitations').where('user_id', 'in', input.userIds).execute()
}
