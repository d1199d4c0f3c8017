import type { SystemCtx } from '../context.ts'

/** Part of the erasure of people: what they were assigned. */
export async function eraseAssignments(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  await ctx.db.deleteFrom('module_assignments').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('course_assignments').where('user_id', 'in', input.userIds).execute()
}
