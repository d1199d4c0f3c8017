/**
 * New passwords, set with a mailed link or with the current password. A new password ends the sessions and the reset
 * links of the account, and its owner gets a mail. With a mailed link it also revokes the access tokens and ends open
 * units, because whoever needs the link may have lost the account to somebody else. Asking for a link gives the same
 * answer for every address.
 */

import { resetRequested } from '~/forms/account-rules.ts'
import { changePasswordForm, requestPasswordResetForm, resetPasswordForm } from '~/forms/accounts.ts'
import { emailKey } from '~/lib/text.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import type { Ctx } from '../context.ts'
import { Invalid, notLoggedIn, Unavailable } from '../errors.ts'
import { parseInput } from '../input.ts'
import { queue } from '../queue/queue.server.ts'
import { deleteSessionsOf } from '../sessions/sessions.server.ts'
import { setPasswordHash } from '../users/users.server.ts'
import { revokeAccessTokensOf } from './access-tokens.server.ts'
import { queueAccountMail } from './account-mails.server.ts'
import { type Account, findAccountOfLink, type OperationResult } from './accounts.server.ts'
import { clearAttempt, slowDown } from './attempts.server.ts'
import { rememberBrowser } from './known-browsers.server.ts'
import { confirmOwnPassword, lockOwner, refusedCurrent } from './own-password.server.ts'
import { hashPassword, refuseTooCommon } from './passwords.server.ts'
import { endTokens, useToken } from './tokens.server.ts'

export const invalidReset =
  'This link to reset your password is invalid, has expired or was already used. Please ask for a new one.'
const passwordReset = 'Your password has been reset. You can now log in with it.'

/**
 * Asks for a reset link. The response is the same for every address, even if too many links were requested and none is
 * sent.
 */
export async function requestPasswordReset(ctx: Ctx, input: { email: string }): Promise<OperationResult> {
  const { email } = parseInput(requestPasswordResetForm, input)
  const key = emailKey(email)
  const answer = { status: true, msg: resetRequested }
  try {
    await slowDown(ctx, 'reset-request', key)
  } catch (error) {
    if (error instanceof Unavailable) return answer
    throw error
  }
  await inTransaction(ctx, (ctx) => queueAccountMail(ctx, { kind: 'reset', emailKey: key }))
  return answer
}

/** Finds the account of a valid reset link; null for every other link. */
export function findResetAccount(ctx: Ctx, input: { userUid64b: string; token: string }): Promise<Account | null> {
  return findAccountOfLink(ctx, { ...input, purpose: 'reset' })
}

/**
 * Sets a new password with a mailed link, which works once. Signs nobody in. Throws Invalid for a bad link or a weak
 * password.
 */
export async function resetPassword(
  ctx: Ctx,
  input: { userUid64b: string; token: string; password: string; password2: string },
): Promise<OperationResult> {
  const account = await findResetAccount(ctx, input)
  if (!account) throw new Invalid(invalidReset, {}, 'reset.invalid')
  const { password } = parseInput(resetPasswordForm, input)
  refuseTooCommon(password, account)
  const passwordHash = await hashPassword(password)
  const isReset = await inTransaction(ctx, async (ctx) => {
    const owner = await lockOwner(ctx, account.uid)
    if (!owner || !(await useToken(ctx, account.uid, 'reset', input.token))) return false
    const ownCtx = { ...ctx, viewer: owner }
    await replacePassword(ownCtx, passwordHash, 'user.password_reset')
    await revokeAccessTokensOf(ownCtx, { userUid: owner.uid })
    await queueEndOfLaunches(ctx, owner.uid)
    return true
  })
  if (!isReset) throw new Invalid(invalidReset, {}, 'reset.invalid')
  // The owner can sign in here at once, however many wrong passwords others have tried.
  await rememberBrowser(ctx, emailKey(account.email))
  return { status: true, msg: passwordReset }
}

/**
 * Changes the viewer's own password. Every other session ends; this one continues under a new id. With `revokeTokens`
 * the access tokens end too; otherwise programs keep working.
 */
export async function changePassword(
  ctx: Ctx,
  input: { currentPassword: string; password: string; password2: string; revokeTokens?: boolean | null },
): Promise<OperationResult> {
  const { viewer } = ctx
  if (!viewer) throw notLoggedIn()
  const { currentPassword, password } = parseInput(changePasswordForm, input)
  const { attempt, passwordHash: before } = await confirmOwnPassword({ ...ctx, viewer }, currentPassword)
  refuseTooCommon(password, viewer)
  const passwordHash = await hashPassword(password)
  const isChanged = await inTransaction(ctx, async (ctx) => {
    const owner = await lockOwner(ctx, viewer.uid)
    // The first of several simultaneous requests wins. The others no longer know the current password.
    if (!owner || owner.passwordHash !== before) return false
    await replacePassword(ctx, passwordHash, 'user.password_changed')
    if (input.revokeTokens) await revokeAccessTokensOf(ctx, { userUid: viewer.uid })
    await ctx.session.begin(ctx, viewer.uid)
    return true
  })
  if (!isChanged) throw refusedCurrent()
  await clearAttempt(ctx, attempt)
  return { status: true, msg: 'Password has been changed.' }
}

/**
 * Queues the job that ends open units. It waits five seconds for requests that began with an old session. Nobody can log
 * in with the new password and open a unit that quickly.
 */
export async function queueEndOfLaunches(ctx: Ctx, userUid: string): Promise<void> {
  const until = new Date(Date.now() + 5000)
  await queue(ctx, 'end-launches-of-person', { userUid, until: until.toISOString() }, { runAt: until })
}

/** Replaces the password in the transaction that holds the owner's row. `ctx.viewer` is the owner. */
async function replacePassword(ctx: Ctx, passwordHash: string, action: string): Promise<void> {
  const userUid = ctx.viewer?.uid ?? ''
  await setPasswordHash(ctx, { userUid, passwordHash })
  await endTokens(ctx, userUid, 'reset')
  await deleteSessionsOf(ctx, { userUid })
  await recordAudit(ctx, { action, entity: 'user', entityUid: userUid, after: { fields: ['password'] } })
  await queueAccountMail(ctx, { kind: 'password_changed', userId: ctx.viewer?.id ?? 0 })
}
