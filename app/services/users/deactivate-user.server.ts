/** Closes an account: the person cannot enter any more, and everything that was done with it stays. */
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'
import { deleteSessionsOf } from '../sessions/sessions.server.ts'

/** For admins. Signs the person out everywhere. Twice is once. NotFound for an account that is not open yet, or erased. */
export async function deactivateUser(ctx: Ctx, input: { userUid: string }): Promise<void> {
  requireAdmin(ctx, 'write')
  if (!isUid(input.userUid)) throw new NotFound()
  await inTransaction(ctx, async (ctx) => {
    const user = await ctx.db
      .selectFrom('users')
      .select(['id', 'uid', 'is_active as isActive'])
      .where('site_id', '=', ctx.site.id)
      .where('uid', '=', input.userUid)
      .where('erased_at', 'is', null)
      .where('password_hash', 'is not', null)
      .forUpdate()
      .executeTakeFirst()
    if (!user) throw new NotFound()
    if (!user.isActive) return
    await ctx.db.updateTable('users').set({ is_active: false, updated_at: ctx.now }).where('id', '=', user.id).execute()
    await deleteSessionsOf(ctx, { userUid: user.uid })
    await recordAudit(ctx, { action: 'user.deactivated', entity: 'user', entityUid: user.uid })
  })
}
