/**
 * Changes of a person's record, and what an address has to do with proving who one is: it is what people sign in with and what a new password is
 * mailed to. So people confirm a change of their own by their password, the old address is told, and its links end.
 */
import { emailField } from '~/forms/users.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { Forbidden, Invalid } from '../errors.ts'
import { deleteSessionsOf } from '../sessions/sessions.server.ts'
import { type UserUpdate, updateUserRecord } from '../users/updates.server.ts'
import { queueAccountMail } from './account-mails.server.ts'
import { clearAttempt } from './attempts.server.ts'
import { confirmOwnPassword, lockOwner, refusedCurrent } from './password-changes.server.ts'
import { endTokens } from './tokens.server.ts'

export type ProfileUpdate = UserUpdate & { currentPassword?: string | null }

/**
 * Changes the fields that are given, of oneself or, for admins, of anybody of the site; what else one may change is for users to say. A new
 * address needs a web session, whosever it is: bearer tokens must not be able to take an account over. One's own needs `currentPassword`,
 * too, and logs one out everywhere else.
 */
export async function updateUser(ctx: Ctx, input: ProfileUpdate): Promise<void> {
  const viewer = requireViewer(ctx, 'write')
  const { currentPassword, ...changes } = input
  const update = { ...changes, userUid: input.userUid.toLowerCase() }
  const isOwn = update.userUid === viewer.uid
  const isNewAddress = typeof update.email === 'string' && update.email.trim() !== viewer.email
  const hasSession = ctx.session.uid !== null
  const proof = isOwn && isNewAddress ? await proveOwner(ctx, update.email ?? '', currentPassword) : null
  await inTransaction(ctx, async (ctx) => {
    if (proof && (await lockOwner(ctx, viewer.uid))?.passwordHash !== proof.passwordHash) throw refusedCurrent()
    const { id, emailBefore } = await updateUserRecord(ctx, update, {
      mayChangeEmail: isOwn ? proof !== null : hasSession,
    })
    if (emailBefore === null) return
    await endTokens(ctx, update.userUid, 'reset')
    await endTokens(ctx, update.userUid, 'invitation')
    await queueAccountMail(ctx, { kind: 'email_changed', userId: id, address: emailBefore })
    if (!isOwn) return
    await deleteSessionsOf(ctx, { userUid: viewer.uid })
    await ctx.session.begin(ctx, viewer.uid)
  })
  if (proof) await clearAttempt(ctx, proof.attempt)
}

async function proveOwner(ctx: Ctx, email: string, currentPassword: string | null | undefined) {
  if (ctx.session.uid === null) {
    throw new Forbidden('To change your own email address, log in on the site: it is confirmed by your password.')
  }
  // What is wrong with the address itself is said without a guess at the password.
  const result = emailField.safeParse(email)
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
