import type { SystemCtx } from '../context.ts'

/** Part of the erasure of people: their links, tokens, waiting mails and changes of their address. The times of their logins stay, without a name. */
export async function eraseSecrets(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  await ctx.db.deleteFrom('one_time_tokens').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('access_tokens').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('address_changes').where('user_id', 'in', input.userIds).execute()
  await ctx.db.deleteFrom('account_mails').where('user_id', 'in', input.userIds).execute()
}
