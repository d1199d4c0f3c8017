/** Taking back accounts that nobody has opened. */
import { sql } from 'kysely'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'

/**
 * Deletes those of these accounts that nobody has ever opened, for admins, and returns their uids. Nothing is known of
 * their people but what the invitation said, so nothing is kept, and their addresses can be invited again.
 */
export async function withdrawUnopenedUsers(ctx: Ctx, input: { userUids: string[] }): Promise<string[]> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<{ uid: string }>`
      delete from users
      where id in (
        select id from users
        where site_id = ${ctx.site.id} and uid = any(${input.userUids}::uuid[])
          and password_hash is null and joined_at is null and erased_at is null and not is_active
        order by id for update)
      returning uid`.execute(ctx.db)
    const uids = rows.map(({ uid }) => uid)
    await recordAudit(ctx, ...uids.map((uid) => ({ action: 'user.withdrawn', entity: 'user', entityUid: uid })))
    return uids
  })
}
