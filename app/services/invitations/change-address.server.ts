/**
 * The address of somebody else, changed by an admin. The address of an open account must be confirmed
 * (accounts/address-changes.server.ts). Nobody has opened an invited one yet: its address is corrected at once, and the
 * invitation goes there.
 */
import { changeAddressForm } from '~/forms/address-changes.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import {
  countAddressChange,
  requestAddressChange,
  requireSomebodyElse,
  requireWebSession,
} from '../accounts/address-changes.server.ts'
import { type ProfileUpdate, updateUser } from '../accounts/profile.server.ts'
import { endTokens } from '../accounts/tokens.server.ts'
import { type Ctx, requireAdmin, requireViewer } from '../context.ts'
import { Invalid } from '../errors.ts'
import { parseInput } from '../input.ts'
import { changeAddress, requireFreeAddress } from '../users/addresses.server.ts'
import { readUserState } from '../users/user-state.server.ts'
import { openAndSend } from './invite-users.server.ts'

/** Changes the address of somebody else, for admins with a web session. `isWaiting` if it must be confirmed first. */
export async function changeAddressOf(
  ctx: Ctx,
  input: { userUid: string; email: string },
): Promise<{ isWaiting: boolean }> {
  requireAdmin(ctx, 'write')
  requireWebSession(ctx)
  return inTransaction(ctx, async (ctx) => {
    const user = await readUserState(ctx, input.userUid, { isLocked: true })
    if (!user.isPending) {
      await requestAddressChange(ctx, input)
      return { isWaiting: true }
    }
    requireSomebodyElse(ctx, user.uid)
    const { email } = parseInput(changeAddressForm, input)
    if (email === user.email) {
      const message = 'This is the address of the account already.'
      throw new Invalid(message, { email: message })
    }
    await requireFreeAddress(ctx, { userId: user.id, email })
    await countAddressChange(ctx, { userUid: user.uid })
    await changeAddress(ctx, { userUid: user.uid, email })
    await endTokens(ctx, user.uid, 'invitation')
    await openAndSend(ctx, { userUids: [user.uid], isAtOnce: true })
    return { isWaiting: false }
  })
}

/**
 * Changes the given fields as `updateUser` does. A new address of somebody else waits until it is confirmed; `msg` then
 * says so.
 */
export async function updateAnyUser(ctx: Ctx, input: ProfileUpdate): Promise<{ msg: string | null }> {
  const viewer = requireViewer(ctx, 'write')
  const userUid = input.userUid.toLowerCase()
  const { email } = input
  if (userUid === viewer.uid || typeof email !== 'string' || !isUid(userUid)) {
    await updateUser(ctx, input)
    return { msg: null }
  }
  return inTransaction(ctx, async (ctx) => {
    await updateUser(ctx, { ...input, email: null })
    const user = await readUserState(ctx, userUid, { isLocked: true })
    if (email.trim() === user.email) return { msg: null }
    const { isWaiting } = await changeAddressOf(ctx, { userUid, email })
    return { msg: isWaiting ? addressWaits : null }
  })
}

const addressWaits =
  'The email address changes as soon as it is confirmed with the link that was mailed to it. The old address can object for seven days.'
