import type { SystemCtx } from '../context.ts'

/** Part of the erasure of people: their answers to the questionnaire, and what was derived from them. */
export async function eraseAnswers(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  await ctx.db.deleteFrom('user_answers').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('user_facets').where('user_id', 'in', input.userIds).execute()
}
