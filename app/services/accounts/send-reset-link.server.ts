import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { queueAccountMail } from './account-mails.server.ts'

/**
 * Mails somebody a link to choose a new password, for admins. The limit on such mails also holds here, so a mailbox
 * cannot be flooded.
 */
export async function sendResetLink(ctx: Ctx, input: { userUid: string }): Promise<void> {
  requireAdmin(ctx, 'write')
  if (!isUid(input.userUid)) throw new NotFound()
  await inTransaction(ctx, async (ctx) => {
    const user = await ctx.db
      .selectFrom('users')
      .select(['uid', 'email_key as emailKey', 'is_active as isActive'])
      .where('site_id', '=', ctx.site.id)
      .where('uid', '=', input.userUid)
      .where('erased_at', 'is', null)
      .executeTakeFirst()
    if (!user) throw new NotFound('This user no longer exists.')
    if (!user.isActive) throw new Conflict('user.not_active', 'Nobody can log in to this account at the moment.')
    await queueAccountMail(ctx, { kind: 'reset', emailKey: user.emailKey ?? '' })
    await recordAudit(ctx, { action: 'user.reset_link_sent', entity: 'user', entityUid: user.uid })
  })
}
