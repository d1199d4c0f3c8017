import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Ctx, SystemCtx } from '../context.ts'

/** How many days the link of an invitation works. */
export const invitationLinkDays = 30

const lifetimes = { reset: 24 * 3_600_000, invitation: invitationLinkDays * 86_400_000 }
export type TokenPurpose = keyof typeof lifetimes
export type Token = { token: string; expiresAt: Date }

function ownerOf(userUid: string) {
  return sql<number>`(select id from users where uid = ${userUid})`
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Creates a single-use token in addition to existing ones. Only its hash is stored. */
export async function addToken(ctx: Ctx, userUid: string, purpose: TokenPurpose): Promise<Token> {
  const token = randomBytes(32).toString('base64url')
  const expiresAt = new Date(ctx.now.getTime() + lifetimes[purpose])
  await ctx.db
    .insertInto('one_time_tokens')
    .values({ user_id: ownerOf(userUid), purpose, token_hash: hashToken(token), expires_at: expiresAt })
    .execute()
  return { token, expiresAt }
}

/** Ends the tokens for a purpose, all but `except`. */
export async function endTokens(ctx: Ctx, userUid: string, purpose: TokenPurpose, except?: string): Promise<void> {
  let query = ctx.db
    .deleteFrom('one_time_tokens')
    .where('user_id', '=', ownerOf(userUid))
    .where('purpose', '=', purpose)
  if (except !== undefined) query = query.where('token_hash', '!=', hashToken(except))
  await query.execute()
}

/** Deletes a token whose mail could not be sent. */
export async function deleteToken(ctx: Ctx, token: string): Promise<void> {
  await ctx.db.deleteFrom('one_time_tokens').where('token_hash', '=', hashToken(token)).execute()
}

/** Uses a token and returns whether it was valid. One SQL statement both decides and uses it, so it works only once. */
export async function useToken(ctx: Ctx, userUid: string, purpose: TokenPurpose, token: string): Promise<boolean> {
  const used = await ctx.db
    .updateTable('one_time_tokens')
    .set({ used_at: ctx.now })
    .where('user_id', '=', ownerOf(userUid))
    .where('purpose', '=', purpose)
    .where('token_hash', '=', hashToken(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', ctx.now)
    .executeTakeFirst()
  return used.numUpdatedRows === 1n
}

export async function isTokenUsable(ctx: Ctx, userUid: string, purpose: TokenPurpose, token: string): Promise<boolean> {
  const query = selectToken(ctx, userUid, purpose, token).where('used_at', 'is', null).where('expires_at', '>', ctx.now)
  return (await query.executeTakeFirst()) !== undefined
}

export async function isTokenUsed(ctx: Ctx, userUid: string, purpose: TokenPurpose, token: string): Promise<boolean> {
  const query = selectToken(ctx, userUid, purpose, token).where('used_at', 'is not', null)
  return (await query.executeTakeFirst()) !== undefined
}

function selectToken(ctx: Ctx, userUid: string, purpose: TokenPurpose, token: string) {
  return ctx.db
    .selectFrom('one_time_tokens')
    .select('id')
    .where('user_id', '=', ownerOf(userUid))
    .where('purpose', '=', purpose)
    .where('token_hash', '=', hashToken(token))
}

export async function deleteExpiredTokens(ctx: SystemCtx): Promise<void> {
  await ctx.db.deleteFrom('one_time_tokens').where('expires_at', '<=', ctx.now).execute()
}
