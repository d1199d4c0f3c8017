/**
 * Bearer tokens for `/graphql/`, with which people's own programs sign in. A token is random, stored as a hash and
 * shown once. It expires, can be revoked by its owner, and ends with the account and with a password that is reset by
 * mail. A `read` token cannot change anything.
 */
import { createHash, randomBytes } from 'node:crypto'
import { newAccessTokenForm } from '~/forms/access-tokens.ts'
import { isUid } from '~/lib/uid.ts'
import type { Database } from '~db/client.server.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, refuseWhileViewing, requireViewer, type Viewer } from '../context.ts'
import { Conflict, Forbidden, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { findViewer } from '../sessions/sessions.server.ts'
import { queueAccountMail } from './account-mails.server.ts'
import { clearAttempt } from './attempts.server.ts'
import { confirmOwnPassword, lockOwner, refusedCurrent } from './own-password.server.ts'

export type AccessScope = 'read' | 'write'

export type AccessToken = {
  uid: string
  name: string
  hint: string
  scope: AccessScope
  createdAt: Date
  expiresAt: Date
  lastUsedAt: Date | null
}

export const mostTokens = 20
const prefix = 'ttr_'

/**
 * Creates a token and returns it, the only time that it is shown. The form makes `uid`, so that a double click creates
 * one token. Requires a web session, because tokens cannot create tokens, and the password, because a token outlives a
 * session that somebody else gets hold of. The owner gets a mail.
 */
export async function createAccessToken(
  ctx: Ctx,
  input: { uid: string; name: string; scope: string; days: string; currentPassword: string },
): Promise<{ token: string }> {
  const viewer = requireOwnSession(ctx)
  // The form is checked first, so that a mistake in it does not count as a guess at the password.
  const { uid, name, scope, days, currentPassword } = parseInput(newAccessTokenForm, input)
  const { attempt, passwordHash } = await confirmOwnPassword(ctx, currentPassword)
  await clearAttempt(ctx, attempt)
  const token = `${prefix}${randomBytes(32).toString('base64url')}`
  await inTransaction(ctx, async (ctx) => {
    // The lock lets simultaneous requests count tokens one after the other.
    if ((await lockOwner(ctx, viewer.uid))?.passwordHash !== passwordHash) throw refusedCurrent()
    if ((await countTokens(ctx, viewer)) >= mostTokens) {
      throw new Conflict('token.too_many', `You have ${mostTokens} tokens. Revoke one before you create another.`)
    }
    const created = await ctx.db
      .insertInto('access_tokens')
      .values({
        uid,
        user_id: viewer.id,
        name,
        token_hash: hashOf(token),
        hint: `…${token.slice(-4)}`,
        scope,
        created_at: ctx.now,
        expires_at: new Date(ctx.now.getTime() + days * 86_400_000),
      })
      .onConflict((oc) => oc.column('uid').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!created) throw new Conflict('token.made', 'This token was already created, and is shown only once.')
    await recordAudit(ctx, { action: 'access_token.created', entity: 'user', entityUid: viewer.uid, after: { scope } })
    await queueAccountMail(ctx, { kind: 'token_created', userId: viewer.id })
  })
  return { token }
}

/** Lists the viewer's own tokens that still work, newest first. */
export async function listAccessTokens(ctx: Ctx): Promise<AccessToken[]> {
  const viewer = requireViewer(ctx)
  refuseWhileViewing(ctx)
  const rows = await usable(ctx, viewer)
    .select([
      'uid',
      'name',
      'hint',
      'scope',
      'created_at as createdAt',
      'expires_at as expiresAt',
      'last_used_at as lastUsedAt',
    ])
    .orderBy('id', 'desc')
    .execute()
  return rows.map((row) => ({ ...row, scope: row.scope === 'write' ? 'write' : 'read' }))
}

/** Revokes one of the viewer's own tokens. Throws NotFound for any other token, and for one that is already revoked. */
export async function revokeAccessToken(ctx: Ctx, input: { tokenUid: string }): Promise<{ name: string }> {
  const viewer = requireOwnSession(ctx)
  if (!isUid(input.tokenUid)) throw new NotFound('This token no longer exists.')
  return inTransaction(ctx, async (ctx) => {
    const revoked = await ctx.db
      .updateTable('access_tokens')
      .set({ revoked_at: ctx.now })
      .where('uid', '=', input.tokenUid)
      .where('user_id', '=', viewer.id)
      .where('revoked_at', 'is', null)
      .returning('name')
      .executeTakeFirst()
    if (!revoked) throw new NotFound('This token no longer exists.')
    await recordAudit(ctx, { action: 'access_token.revoked', entity: 'user', entityUid: viewer.uid })
    return revoked
  })
}

/** Revokes every token of an account, in the transaction that gives it a new password. */
export async function revokeAccessTokensOf(ctx: Ctx, input: { userUid: string }): Promise<void> {
  const { numUpdatedRows } = await ctx.db
    .updateTable('access_tokens')
    .set({ revoked_at: ctx.now })
    .where('user_id', '=', (eb) => eb.selectFrom('users').select('id').where('uid', '=', input.userUid))
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return
  await recordAudit(ctx, { action: 'access_token.revoked', entity: 'user', entityUid: input.userUid })
}

type TokenHolder = { viewer: Viewer; tokenUid: string; scope: AccessScope; lastUsedAt: Date | null }

/**
 * Finds the owner of a token. Returns null if the token is unknown, expired, revoked, of the other site or of a closed
 * account.
 */
export async function findTokenHolder(ctx: Ctx, input: { token: string }): Promise<TokenHolder | null> {
  if (!/^ttr_[\w-]{43}$/.test(input.token)) return null
  const row = await ctx.db
    .selectFrom('access_tokens')
    .select(['uid', 'user_id as userId', 'scope', 'last_used_at as lastUsedAt'])
    .where('token_hash', '=', hashOf(input.token))
    .where('expires_at', '>', ctx.now)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  const viewer = row && (await findViewer(ctx, { userId: row.userId }))
  if (!row || !viewer) return null
  return { viewer, tokenUid: row.uid, scope: row.scope === 'write' ? 'write' : 'read', lastUsedAt: row.lastUsedAt }
}

/**
 * Records the use of a token after the response, at most once a minute. The condition makes simultaneous requests write
 * once.
 */
export async function touchAccessToken(db: Database, input: { tokenUid: string; now: Date }): Promise<void> {
  await db
    .updateTable('access_tokens')
    .set({ last_used_at: input.now })
    .where('uid', '=', input.tokenUid)
    .where((eb) =>
      eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', new Date(input.now.getTime() - 60_000))]),
    )
    .execute()
}

function requireOwnSession(ctx: Ctx): Viewer {
  const viewer = requireViewer(ctx, 'write')
  if (ctx.session.uid === null) throw new Forbidden()
  return viewer
}

function usable(ctx: Ctx, viewer: Viewer) {
  return ctx.db
    .selectFrom('access_tokens')
    .where('user_id', '=', viewer.id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', ctx.now)
}

async function countTokens(ctx: Ctx, viewer: Viewer): Promise<number> {
  const { count } = await usable(ctx, viewer)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
