import type { SystemCtx } from '../context.ts'

/** Part of the erasure of people: the messages that they were sent no longer have their name and address. */
export async function eraseRecipients(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  await ctx.db
    .updateTable('announcement_recipients')
    .set({ email: null, name: null })
    .where('user_id', 'in', input.userIds)
    .execute()
}
