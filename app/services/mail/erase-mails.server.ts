import { sql } from 'kysely'
import type { SystemCtx } from '../context.ts'

/** Part of the erasure of people: what they were sent no longer has their name and address. */
export async function eraseMails(ctx: SystemCtx, input: { userIds: number[] }): Promise<void> {
  await sql`
    delete from mail_suppressions using users
    where users.id = any(${input.userIds}::bigint[]) and mail_suppressions.site_id = users.site_id
      and mail_suppressions.address_key = users.email_key`.execute(ctx.db)
  await ctx.db
    .updateTable('mails')
    .set({ address: null, address_key: null, name: null, response: null })
    .where('user_id', 'in', input.userIds)
    .execute()
}
