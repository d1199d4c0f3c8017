/**
 * Addresses of accounts: who may have one, and changing it. An address is unique on its site, also among deleted
 * accounts. After a change that was confirmed, the old address stays reserved while its owner can object to the change.
 */
import { sql } from 'kysely'
import { emailKey, searchKey } from '~/lib/text.ts'
import { recordAudit } from '../audit/audit.server.ts'
import type { Ctx } from '../context.ts'
import { Conflict } from '../errors.ts'

function addressTaken(): Conflict {
  const message = 'This email address is already in use.'
  return new Conflict('user.email_taken', message, { email: message })
}

/** Reports an address that is in use. The unique key decides, even between two simultaneous requests. */
export function refuseTakenEmail(error: unknown): never {
  const { code, constraint } = error as { code?: string; constraint?: string }
  if (code === '23505' && constraint === 'users_site_id_email_key_key') throw addressTaken()
  throw error
}

/**
 * Throws Conflict if another account has this address now. An early answer for people: whether the address is free in
 * the end, the unique key decides.
 */
export async function requireFreeAddress(ctx: Ctx, { userId, email }: { userId: number; email: string }) {
  const { rows } = await sql`
    select 1 from users where site_id = ${ctx.site.id} and email_key = ${emailKey(email)} and id <> ${userId}
    union all
    select 1 from address_changes where ${isReserved(ctx)} and email_key_before = ${emailKey(email)} and user_id <> ${userId}
    limit 1`.execute(ctx.db)
  if (rows.length > 0) throw addressTaken()
}

/**
 * Throws Conflict if one of these accounts has an address that is reserved for somebody else. Call it after the
 * addresses were written: whoever frees an address holds its key until the reservation is committed.
 */
export async function requireUnreserved(ctx: Ctx, { userUids }: { userUids: string[] }): Promise<void> {
  const { rows } = await sql`
    select 1 from users join address_changes on email_key_before = users.email_key and user_id <> users.id
    where users.uid = any(${userUids}::uuid[]) and users.site_id = ${ctx.site.id} and ${isReserved(ctx)}
    limit 1`.execute(ctx.db)
  if (rows.length > 0) throw addressTaken()
}

/** For queries: whether the old address of a change is kept for its owner. */
export function isReserved(ctx: Ctx) {
  return sql`address_changes.site_id = ${ctx.site.id} and address_changes.confirmed_at is not null
    and address_changes.ended_at is null and address_changes.expires_at > ${ctx.now}`
}

/**
 * Changes the address of an account, whose row the caller has locked. Part of a use case that checks who may do it.
 * Throws Conflict if another account of the site has the address.
 */
export async function changeAddress(ctx: Ctx, input: { userUid: string; email: string }): Promise<void> {
  const { userUid, email } = input
  const row = await ctx.db
    .selectFrom('users')
    .select(['first_name as firstName', 'last_name as lastName'])
    .where('uid', '=', userUid)
    .executeTakeFirstOrThrow()
  const { revision } = await ctx.db
    .updateTable('users')
    .set((eb) => ({
      email,
      email_key: emailKey(email),
      search_key: searchKey(`${row.firstName ?? ''} ${row.lastName ?? ''} ${email}`),
      revision: eb('revision', '+', 1),
      updated_at: ctx.now,
    }))
    .where('uid', '=', userUid)
    .where('site_id', '=', ctx.site.id)
    .returning('revision')
    .executeTakeFirstOrThrow()
    .catch(refuseTakenEmail)
  await requireUnreserved(ctx, { userUids: [userUid] })
  const after = { fields: ['email'], revision }
  await recordAudit(ctx, { action: 'user.updated', entity: 'user', entityUid: userUid, after })
}
