/** Closes an account: the person can no longer log in, and their records stay. */
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { deleteSessionsOf } from '../sessions/sessions.server.ts'
import { isAdminAccount, lockAdmins, requireAnAdmin } from './delete-user.server.ts'

/**
 * Deactivates an account and ends its sessions. For admins, but not for their own account or the last one of an admin.
 * Returns whether it was active before, and the time, for `enableUser` as Undo. Throws NotFound for an account that
 * nobody has opened yet, and for an erased one.
 */
export async function deactivateUser(
  ctx: Ctx,
  input: { userUid: string },
): Promise<{ isChanged: boolean; disabledAt?: number }> {
  requireAdmin(ctx, 'write')
  if (!isUid(input.userUid)) throw new NotFound()
  if (input.userUid.toLowerCase() === ctx.viewer?.uid) {
    throw new Conflict('user.own_account', 'You cannot disable your own account. Please ask another admin.')
  }
  return inTransaction(ctx, async (ctx) => {
    await lockAdmins(ctx)
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
    if (!user.isActive) return { isChanged: false }
    await ctx.db.updateTable('users').set({ is_active: false, updated_at: ctx.now }).where('id', '=', user.id).execute()
    if (await isAdminAccount(ctx, user.id)) await requireAnAdmin(ctx)
    await deleteSessionsOf(ctx, { userUid: user.uid })
    await recordAudit(ctx, { action: 'user.deactivated', entity: 'user', entityUid: user.uid })
    return { isChanged: true, disabledAt: ctx.now.getTime() }
  })
}
