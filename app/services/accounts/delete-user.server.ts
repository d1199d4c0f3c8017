import { inTransaction } from '~db/transaction.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { type ClosedUser, closeUser } from '../users/delete-user.server.ts'
import { revokeAccessTokensOf } from './access-tokens.server.ts'
import { endWaitingChange } from './address-changes.server.ts'
import { queueEndOfLaunches } from './password-changes.server.ts'
import { endTokens } from './tokens.server.ts'

/**
 * Deletes an account. It is closed at once, with its sessions, tokens, links and open units; for thirty days it can be
 * restored. For admins.
 */
export async function deleteUser(ctx: Ctx, input: { userUid: string }): Promise<ClosedUser> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const user = await closeUser(ctx, input)
    await endTokens(ctx, user.uid, 'reset')
    await endTokens(ctx, user.uid, 'invitation')
    await endWaitingChange(ctx, { userUid: user.uid, outcome: 'canceled' })
    await revokeAccessTokensOf(ctx, { userUid: user.uid })
    await queueEndOfLaunches(ctx, user.uid)
    return user
  })
}
