import type { SystemCtx } from '../context.ts'

/** Part of the erasure of people: what they were assigned, and the reminders of it. */
export async function eraseAssignments(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  await ctx.db.deleteFrom('module_assignments').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('course_assignments').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('replaced_assignments').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('reminded_assignments').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('standing_assignment_people').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('assignment_reminders').where('user_id', 'in', input.userIds).execute()
}
