/**
 * Accounts: proving who one is. Signing in and out, and opening an account by its invitation. Answers and work are the same
 * for known and unknown addresses; guessing is slowed for an account and for an address prefix, and never locks the owner out.
 */

import { sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import { loginForm } from '~/forms/accounts.ts'
import { caseKey } from '~/lib/text.ts'
import { decodeUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import type { Ctx, GroupName } from '../context.ts'
import { Invalid, Unavailable } from '../errors.ts'
import { parseInput } from '../input.ts'
import { addressPrefix, clearAttempts, countAttempts, forgiveAttempt } from '../limits/limits.server.ts'
import { activateUser, recordLogin } from '../users/users.server.ts'
import { hashPassword, isTooCommon, verifyPassword } from './passwords.server.ts'
import { createToken, isTokenUsable, type TokenPurpose, useToken } from './tokens.server.ts'

export type Account = { uid: string; firstName: string; lastName: string; email: string; groups: GroupName[] }
export type OperationResult = { status: boolean; msg: string | null }

const wrongCredentials = 'The email address or password is incorrect.'
const windowSeconds = 15 * 60
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
 * Checks address and password and begins a session. Invalid with field `username` when they do not fit, and equally so when
 * the account is of the other site, inactive or not yet confirmed.
 */
export async function login(ctx: Ctx, input: { username: string; password: string }): Promise<Account> {
  const { username, password } = parseInput(loginForm, input)
  const emailKey = caseKey(username)
  const limits = limitKeys(ctx, emailKey)
  await slowDown(ctx, limits)
  const user = await ctx.db
    .selectFrom('users')
    .select(accountColumns)
    .select([groupsOfUser, 'users.password_hash as passwordHash'])
    .where('users.site_id', '=', ctx.site.id)
    .where('users.email_key', '=', emailKey)
    .where('users.is_active', '=', true)
    .where('users.erased_at', 'is', null)
    .executeTakeFirst()
  const matches = await verifyPassword(user?.passwordHash ?? null, password)
  if (!user || !matches || user.groups.includes('pending_users')) {
    throw new Invalid(wrongCredentials, { username: wrongCredentials }, 'login.wrong_credentials')
  }
  await signIn(ctx, user.uid)
  await clearAttempts(ctx, [limits.pair])
  // A class that signs in from one network is no attack.
  await forgiveAttempt(ctx, [limits.account, limits.prefix])
  return toAccount(user)
}

/** Ends the session of this request; without one there is nothing to end. */
export async function logout(ctx: Ctx): Promise<OperationResult> {
  await ctx.session.end(ctx)
  return { status: true, msg: null }
}

/** The account that a link of a mail names, while the link is good; null for every other. */
export async function findAccountOfLink(
  ctx: Ctx,
  input: { userUid64b: string; purpose: TokenPurpose; token: string },
): Promise<Account | null> {
  const uid = decodeUid(input.userUid64b)
  if (!uid) return null
  const user = await ctx.db
    .selectFrom('users')
    .select(accountColumns)
    .select(groupsOfUser)
    .where('users.site_id', '=', ctx.site.id)
    .where('users.uid', '=', uid)
    .where('users.erased_at', 'is', null)
    .executeTakeFirst()
  if (!user || !(await isTokenUsable(ctx, user.uid, input.purpose, input.token))) return null
  return toAccount(user)
}

/**
 * Sets the first password, opens the account and signs in. False when the link was used meanwhile: it works once, also when
 * two requests bring it at the same time. `record` is what the link's own domain writes in the same transaction.
 */
export async function openAccount(
  ctx: Ctx,
  input: { account: Account; token: string; password: string },
  record: (ctx: Ctx) => Promise<void>,
): Promise<boolean> {
  if (isTooCommon(input.password, input.account)) {
    const message = 'This password is too common. Choose another one.'
    throw new Invalid(message, { password: message })
  }
  const passwordHash = await hashPassword(input.password)
  const opened = await inTransaction(ctx, async (ctx) => {
    if (!(await useToken(ctx, input.account.uid, 'invitation', input.token))) return false
    await activateUser(ctx, { userUid: input.account.uid, passwordHash })
    await record(ctx)
    return true
  })
  if (opened) await signIn(ctx, input.account.uid)
  return opened
}

/** A token for an account's link; for invitations and resets, which decide who may ask for one. */
export function issueToken(ctx: Ctx, input: { userUid: string; purpose: TokenPurpose }): Promise<string> {
  return createToken(ctx, input.userUid, input.purpose)
}

async function signIn(ctx: Ctx, userUid: string): Promise<void> {
  await ctx.session.begin(ctx, userUid)
  await recordLogin(ctx, { userUid })
  await ctx.db
    .insertInto('logins')
    .columns(['site_id', 'user_id', 'at'])
    .expression((eb) =>
      eb
        .selectFrom('users')
        .select(['users.site_id', 'users.id', sql<Date>`${ctx.now}::timestamptz`.as('at')])
        .where('uid', '=', userUid),
    )
    .execute()
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

function limitKeys(ctx: Ctx, emailKey: string) {
  const prefix = addressPrefix(ctx.address)
  return {
    account: `login:${ctx.site.id}:${emailKey}`,
    prefix: `login-from:${prefix}`,
    pair: `login:${ctx.site.id}:${emailKey}:from:${prefix}`,
  }
}

/**
 * Beyond the limit an attempt waits, twice as long each time up to eight seconds. One prefix that goes on against one account
 * is refused for the rest of the window; the owner, who comes from elsewhere, is not.
 */
async function slowDown(ctx: Ctx, keys: { account: string; prefix: string; pair: string }): Promise<void> {
  const limit = env().LOGIN_ATTEMPTS_PER_15_MIN
  const [account = 0, prefix = 0, pair = 0] = await countAttempts(
    ctx,
    [keys.account, keys.prefix, keys.pair],
    windowSeconds,
  )
  if (pair > limit * 2)
    throw new Unavailable('Too many attempts. Please wait a few minutes and try again.', 300, 'rate_limited')
  const excess = Math.max(pair - limit, account - limit * 5, prefix - limit * 10)
  if (excess > 0) await new Promise((resolve) => setTimeout(resolve, Math.min(8000, 250 * 2 ** Math.min(excess, 6))))
}
