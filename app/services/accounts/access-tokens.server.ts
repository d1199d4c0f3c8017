/**
 * Bearer tokens for `/graphql/`: what a person's own programs sign in with. They are random, kept as hashes and shown once; they end by
 * themselves, are revoked by their owner, and die with the account. A `read` token changes nothing.
 */
import { createHash, randomBytes } from 'node:crypto'
import { newAccessTokenForm } from '~/forms/access-tokens.ts'
import { isUid } from '~/lib/uid.ts'
import type { Database } from '~db/client.server.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireViewer, type Viewer } from '../context.ts'
import { Conflict, Forbidden, NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { findViewer } from '../sessions/sessions.server.ts'

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
 * Makes one and returns it: the only time that it is seen. `uid` is made by the form, so that a double press makes one token. From a web session
 * only: a token makes no tokens.
 */
export async function createAccessToken(
  ctx: Ctx,
  input: { uid: string; name: string; scope: string; days: string },
): Promise<{ token: string }> {
  const viewer = requireOwnSession(ctx)
  const { uid, name, scope, days } = parseInput(newAccessTokenForm, input)
  const token = `${prefix}${randomBytes(32).toString('base64url')}`
  await inTransaction(ctx, async (ctx) => {
    await lockViewer(ctx, viewer)
    if ((await countTokens(ctx, viewer)) >= mostTokens) {
      throw new Conflict('token.too_many', `You have ${mostTokens} tokens. Revoke one before you make another.`)
    }
    const made = await ctx.db
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
    if (!made) throw new Conflict('token.made', 'This token was made already, and is shown only once.')
    await recordAudit(ctx, { action: 'access_token.created', entity: 'user', entityUid: viewer.uid, after: { scope } })
  })
  return { token }
}

/** The viewer's own that still work, newest first. */
export async function listAccessTokens(ctx: Ctx): Promise<AccessToken[]> {
  const viewer = requireViewer(ctx)
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

/** Of one's own; NotFound for one that is not, or no longer. */
export async function revokeAccessToken(ctx: Ctx, input: { tokenUid: string }): Promise<{ name: string }> {
  const viewer = requireOwnSession(ctx)
  if (!isUid(input.tokenUid)) throw new NotFound('There is no such token any more.')
  return inTransaction(ctx, async (ctx) => {
    const revoked = await ctx.db
      .updateTable('access_tokens')
      .set({ revoked_at: ctx.now })
      .where('uid', '=', input.tokenUid)
      .where('user_id', '=', viewer.id)
      .where('revoked_at', 'is', null)
      .returning('name')
      .executeTakeFirst()
    if (!revoked) throw new NotFound('There is no such token any more.')
    await recordAudit(ctx, { action: 'access_token.revoked', entity: 'user', entityUid: viewer.uid })
    return revoked
  })
}

export type TokenHolder = { viewer: Viewer; tokenUid: string; scope: AccessScope; lastUsedAt: Date | null }

/** Whose program this is; null for a token that is unknown, over, revoked, of the other site or of a closed account. */
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

/** After the answer, at most once a minute: the condition decides between requests of one moment. */
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

/** Two at once count one after the other. */
async function lockViewer(ctx: Ctx, viewer: Viewer): Promise<void> {
  await ctx.db.selectFrom('users').select('id').where('id', '=', viewer.id).forNoKeyUpdate().execute()
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
