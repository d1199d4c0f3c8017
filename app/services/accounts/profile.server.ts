/**
 * Changes of a person's record. People sign in with their address, and new passwords are mailed to it. So people
 * confirm a change of their own address with their password, the old address gets a mail, and its links end.
 */
import { newEmail } from '~/forms/users.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { Forbidden, Invalid } from '../errors.ts'
import { deleteSessionsOf } from '../sessions/sessions.server.ts'
import { type UserUpdate, updateUserRecord } from '../users/updates.server.ts'
import { queueAccountMail } from './account-mails.server.ts'
import { endWaitingChange } from './address-changes.server.ts'
import { clearAttempt } from './attempts.server.ts'
import { confirmOwnPassword, lockOwner, refusedCurrent } from './own-password.server.ts'
import { endTokens } from './tokens.server.ts'

export type ProfileUpdate = UserUpdate & { currentPassword?: string | null }

/**
 * Changes the given fields of the viewer or, for admins, of anybody of the site. The users domain checks which fields
 * the viewer may change.
 *
 * A new address of one's own requires a web session, so that a bearer token cannot take over an account, and
 * `currentPassword`. It ends all other sessions. The address of somebody else is refused here: it must be confirmed
 * (invitations/change-address.server.ts).
 */
export async function updateUser(ctx: Ctx, input: ProfileUpdate): Promise<void> {
  const viewer = requireViewer(ctx, 'write')
  const { currentPassword, ...changes } = input
  const userUid = input.userUid.toLowerCase()
  const isOwn = userUid === viewer.uid
  const isNewAddress = typeof changes.email === 'string' && changes.email.trim() !== viewer.email
  // An own address that stays is not checked: accounts may have one that is refused today.
  const update = { ...changes, userUid, email: isOwn && !isNewAddress ? null : changes.email }
  const proof = isOwn && isNewAddress ? await proveOwner(ctx, update.email ?? '', currentPassword) : null
  await inTransaction(ctx, async (ctx) => {
    if (proof && (await lockOwner(ctx, viewer.uid))?.passwordHash !== proof.passwordHash) throw refusedCurrent()
    const { id, emailBefore } = await updateUserRecord(ctx, update, {
      mayChangeEmail: proof !== null,
    })
    if (emailBefore === null) return
    await endTokens(ctx, update.userUid, 'reset')
    await endTokens(ctx, update.userUid, 'invitation')
    await endWaitingChange(ctx, { userUid: update.userUid, outcome: 'replaced' })
    await queueAccountMail(ctx, { kind: 'email_changed', userId: id, address: emailBefore })
    await deleteSessionsOf(ctx, { userUid: viewer.uid })
    await ctx.session.begin(ctx, viewer.uid)
  })
  if (proof) await clearAttempt(ctx, proof.attempt)
}

async function proveOwner(ctx: Ctx, email: string, currentPassword: string | null | undefined) {
  if (ctx.session.uid === null) {
    throw new Forbidden('To change your own email address, log in on the site and confirm it with your password.')
  }
  // Checks the address first, so that a mistake in it does not count as a guess at the password.
  const result = newEmail.safeParse(email)
  if (!result.success) {
    const message = result.error.issues[0]?.message ?? ''
    throw new Invalid(message, { email: message })
  }
  if (!currentPassword) {
    const message = 'Please enter current password'
    throw new Invalid(message, { currentPassword: message }, 'password.required')
  }
  return confirmOwnPassword(ctx, currentPassword)
}
