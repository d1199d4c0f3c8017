/**
 * Accounts: signing in and out, and opening an account with its invitation. Passwords are in
 * password-changes.server.ts, mails in account-mails.server.ts.
 *
 * Responses and work are the same for known and unknown addresses. Guessing is slowed down per account and per address
 * prefix, but never locks the owner out (attempts.server.ts).
 */

import { sql } from 'kysely'
import { loginForm } from '~/forms/accounts.ts'
import { emailKey } from '~/lib/text.ts'
import { decodeUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { logSecurityEvent } from '../audit/security-events.server.ts'
import type { Ctx, GroupName } from '../context.ts'
import { Invalid } from '../errors.ts'
import { parseInput } from '../input.ts'
import { activateUser } from '../users/users.server.ts'
import { clearAttempt, slowDown, unlessBusy } from './attempts.server.ts'
import { rememberBrowser } from './known-browsers.server.ts'
import { hashPassword, refuseTooCommon, verifyPassword } from './passwords.server.ts'
import { recordSignIn } from './sign-ins.server.ts'
import { addToken, endTokens, isTokenUsable, isTokenUsed, type TokenPurpose, useToken } from './tokens.server.ts'

export type Account = { uid: string; firstName: string; lastName: string; email: string; groups: GroupName[] }
export type OperationResult = { status: boolean; msg: string | null }

const wrongCredentials = 'The email address or password is incorrect.'
const accountColumns = [
  'users.uid',
  'users.email',
  'users.first_name as firstName',
  'users.last_name as lastName',
] as const
const groupsOfUser = sql<GroupName[]>`array(select name from user_groups where user_id = users.id order by name)`.as(
  'groups',
)

/**
 * Checks address and password and begins a session. Throws Invalid for `username` if they do not match, and in the same
 * way if the account belongs to the other site, is inactive or is not yet confirmed.
 */
export async function login(ctx: Ctx, input: { username: string; password: string }): Promise<Account> {
  const { username, password } = parseInput(loginForm, input)
  const key = emailKey(username)
  const attempt = await slowDown(ctx, 'login', key)
  const user = await ctx.db
    .selectFrom('users')
    .select(accountColumns)
    .select([groupsOfUser, 'users.password_hash as passwordHash'])
    .where('users.site_id', '=', ctx.site.id)
    .where('users.email_key', '=', key)
    .where('users.is_active', '=', true)
    .where('users.erased_at', 'is', null)
    .executeTakeFirst()
  const matches = await unlessBusy(ctx, attempt, verifyPassword(user?.passwordHash ?? null, password))
  const mayEnter = user && matches && !user.groups.includes('pending_users')
  if (!mayEnter || !(await signInWith(ctx, user.uid, user.passwordHash ?? ''))) {
    await logSecurityEvent(ctx, 'sign_in.failed', { account: key })
    throw new Invalid(wrongCredentials, { username: wrongCredentials }, 'login.wrong_credentials')
  }
  await clearAttempt(ctx, attempt)
  await rememberBrowser(ctx, key)
  await logSecurityEvent(ctx, 'sign_in.succeeded', { account: key })
  return toAccount(user)
}

/** Ends the session of this request, if there is one. */
export async function logout(ctx: Ctx): Promise<OperationResult> {
  await ctx.session.end(ctx)
  return { status: true, msg: null }
}

/**
 * Finds the account of a mailed link; null if the link is not valid. An invitation link is valid for an account that is
 * not open yet, a reset link for one that may sign in. A wrong link counts as an attempt.
 */
export async function findAccountOfLink(
  ctx: Ctx,
  input: { userUid64b: string; purpose: TokenPurpose; token: string },
): Promise<Account | null> {
  const uid = decodeUid(input.userUid64b)
  const account = uid && (await findUsableLink(ctx, { ...input, uid }))
  if (account) return account
  await logSecurityEvent(ctx, 'link.wrong', { kind: input.purpose })
  await slowDown(ctx, 'link', uid ?? 'nobody')
  return null
}

/**
 * Tells whether the invitation link was used before and the account is open. Only the holder of the link can find this
 * out.
 */
export async function isInvitationUsed(ctx: Ctx, input: { userUid64b: string; token: string }): Promise<boolean> {
  const uid = decodeUid(input.userUid64b)
  if (!uid || !(await isTokenUsed(ctx, uid, 'invitation', input.token))) return false
  const user = await ctx.db
    .selectFrom('users')
    .select('id')
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', uid)
    .where('erased_at', 'is', null)
    .where('is_active', '=', true)
    .where('password_hash', 'is not', null)
    .executeTakeFirst()
  return user !== undefined
}

async function findUsableLink(
  ctx: Ctx,
  input: { uid: string; purpose: TokenPurpose; token: string },
): Promise<Account | null> {
  const user = await ctx.db
    .selectFrom('users')
    .select(accountColumns)
    .select([groupsOfUser, 'users.is_active as isActive'])
    .where('users.site_id', '=', ctx.site.id)
    .where('users.uid', '=', input.uid)
    .where('users.erased_at', 'is', null)
    .executeTakeFirst()
  const isPending = user?.groups.includes('pending_users')
  const fits = input.purpose === 'invitation' ? isPending : user?.isActive && !isPending
  if (!user || !fits) return null
  return (await isTokenUsable(ctx, user.uid, input.purpose, input.token)) ? toAccount(user) : null
}

/**
 * Sets the first password, opens the account and signs in. Returns false if the link has been used in the meantime: it
 * works once, even if two requests bring it at the same time. `record` writes the data of the link's own domain in the
 * same transaction.
 */
export async function openAccount(
  ctx: Ctx,
  input: { account: Account; token: string; password: string },
  record: (ctx: Ctx) => Promise<void>,
): Promise<boolean> {
  refuseTooCommon(input.password, input.account)
  const passwordHash = await hashPassword(input.password)
  const opened = await inTransaction(ctx, async (ctx) => {
    const isPending = await lockInvitee(ctx, input.account.uid)
    if (!isPending || !(await useToken(ctx, input.account.uid, 'invitation', input.token))) return false
    // The used token stays until it expires, so that people who open the link again learn what to do.
    await endTokens(ctx, input.account.uid, 'invitation', input.token)
    await activateUser(ctx, { userUid: input.account.uid, passwordHash })
    await record(ctx)
    return true
  })
  if (!opened) return false
  await signIn(ctx, input.account.uid)
  const account = emailKey(input.account.email)
  await rememberBrowser(ctx, account)
  await logSecurityEvent(ctx, 'sign_in.succeeded', { account })
  return true
}

/** Creates a token for a link and ends earlier ones. The caller checks who may ask for it. */
export async function issueToken(ctx: Ctx, input: { userUid: string; purpose: TokenPurpose }): Promise<string> {
  const { token } = await addToken(ctx, input.userUid, input.purpose)
  await endTokens(ctx, input.userUid, input.purpose, token)
  return token
}

/**
 * Signs in. Returns false if the password was changed or the account closed while the password was verified; otherwise
 * the session would outlive the change.
 */
function signInWith(ctx: Ctx, userUid: string, passwordHash: string): Promise<boolean> {
  return inTransaction(ctx, async (ctx) => {
    const user = await ctx.db
      .selectFrom('users')
      .select('id')
      .where('uid', '=', userUid)
      .where('password_hash', '=', passwordHash)
      .where('is_active', '=', true)
      .where('erased_at', 'is', null)
      .forUpdate()
      .executeTakeFirst()
    if (user) await signIn(ctx, userUid)
    return user !== undefined
  })
}

/** Locks an account that is not open yet, so that only one of two simultaneous requests opens it. */
async function lockInvitee(ctx: Ctx, userUid: string): Promise<boolean> {
  const user = await ctx.db
    .selectFrom('users')
    .innerJoin('user_groups', 'user_groups.user_id', 'users.id')
    .select('users.id')
    .where('users.uid', '=', userUid)
    .where('users.erased_at', 'is', null)
    .where('user_groups.name', '=', 'pending_users')
    .forUpdate()
    .executeTakeFirst()
  return user !== undefined
}

async function signIn(ctx: Ctx, userUid: string): Promise<void> {
  await ctx.session.begin(ctx, userUid)
  await recordSignIn(ctx, { userUid })
}

type AccountRow = {
  uid: string
  email: string | null
  firstName: string | null
  lastName: string | null
  groups: GroupName[]
}

function toAccount(row: AccountRow): Account {
  return {
    uid: row.uid,
    email: row.email ?? '',
    firstName: row.firstName ?? '',
    lastName: row.lastName ?? '',
    groups: row.groups,
  }
}
