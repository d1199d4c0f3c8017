import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Ctx } from '../context.ts'

const lifetimes = { reset: 24 * 3_600_000, invitation: 30 * 86_400_000 }
export type TokenPurpose = keyof typeof lifetimes

function ownerOf(userUid: string) {
  return sql<number>`(select id from users where uid = ${userUid})`
}

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** A new single-use token; older ones of the same purpose end. Only its hash is stored. */
export async function createToken(ctx: Ctx, userUid: string, purpose: TokenPurpose): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await ctx.db
    .deleteFrom('one_time_tokens')
    .where('user_id', '=', ownerOf(userUid))
    .where('purpose', '=', purpose)
    .execute()
  await ctx.db
    .insertInto('one_time_tokens')
    .values({
      user_id: ownerOf(userUid),
      purpose,
      token_hash: hashToken(token),
      expires_at: new Date(ctx.now.getTime() + lifetimes[purpose]),
    })
    .execute()
  return token
}

/** The condition under which a token may be used; one statement both decides and uses it. */
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
  const row = await ctx.db
    .selectFrom('one_time_tokens')
    .select('id')
    .where('user_id', '=', ownerOf(userUid))
    .where('purpose', '=', purpose)
    .where('token_hash', '=', hashToken(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', ctx.now)
    .executeTakeFirst()
  return row !== undefined
}
