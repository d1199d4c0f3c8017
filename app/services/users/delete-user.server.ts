/**
 * Deleting an account in two steps. At first it is only closed: nobody finds it any more, its address stays reserved, and
 * an admin can bring it back for thirty days. After that its personal data is erased (services/erasure).
 */
import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { Conflict, NotFound } from '../errors.ts'
import { daysAgo, restorableDays } from '../restorable.ts'
import { deleteSessionsOf } from '../sessions/sessions.server.ts'

export type ClosedUser = { uid: string; firstName: string; lastName: string }

/**
 * Closes an account and ends its sessions. For admins, but not for their own account or the last one of an admin.
 * The accounts domain ends what else lets the person in.
 */
export async function closeUser(ctx: Ctx, input: { userUid: string }): Promise<ClosedUser> {
  requireAdmin(ctx, 'write')
  if (!isUid(input.userUid)) throw new NotFound()
  const userUid = input.userUid.toLowerCase()
  if (userUid === ctx.viewer?.uid) {
    throw new Conflict('user.own_account', 'You cannot delete your own account. Please ask another admin.')
  }
  return inTransaction(ctx, async (ctx) => {
    await lockAdmins(ctx)
    const user = await ctx.db
      .updateTable('users')
      .set({ erased_at: ctx.now, updated_at: ctx.now })
      .where('site_id', '=', ctx.site.id)
      .where('uid', '=', userUid)
      .where('erased_at', 'is', null)
      .returning(['id', 'uid', 'first_name as firstName', 'last_name as lastName'])
      .executeTakeFirst()
    if (!user) throw new NotFound('This user no longer exists.')
    if (await isAdminAccount(ctx, user.id)) await requireAnAdmin(ctx)
    await deleteSessionsOf(ctx, { userUid })
    await recordAudit(ctx, { action: 'user.deleted', entity: 'user', entityUid: userUid })
    return { uid: user.uid, firstName: user.firstName ?? '', lastName: user.lastName ?? '' }
  })
}

/** Brings a deleted account back, as it was, within thirty days. For admins. Does nothing if it is already back. */
export async function restoreUser(ctx: Ctx, input: { userUid: string }): Promise<ClosedUser> {
  requireAdmin(ctx, 'write')
  if (!isUid(input.userUid)) throw new NotFound()
  return inTransaction(ctx, async (ctx) => {
    const user = await ctx.db
      .selectFrom('users')
      .select([
        'id',
        'uid',
        'first_name as firstName',
        'last_name as lastName',
        'erased_at as erasedAt',
        'purged_at as purgedAt',
      ])
      .where('site_id', '=', ctx.site.id)
      .where('uid', '=', input.userUid)
      .forUpdate()
      .executeTakeFirst()
    if (!user) throw new NotFound('There is no such account.')
    if (user.purgedAt || (user.erasedAt && user.erasedAt < daysAgo(ctx, restorableDays))) {
      throw new NotFound('This account was deleted more than thirty days ago and can no longer be restored.')
    }
    if (user.erasedAt) {
      await ctx.db
        .updateTable('users')
        .set({ erased_at: null, updated_at: ctx.now })
        .where('id', '=', user.id)
        .execute()
      await recordAudit(ctx, { action: 'user.restored', entity: 'user', entityUid: user.uid })
    }
    return { uid: user.uid, firstName: user.firstName ?? '', lastName: user.lastName ?? '' }
  })
}

/**
 * Lets changes that may take away a site's last admin happen one after the other: without this, two admins could remove
 * each other at the same time.
 */
export async function lockAdmins(ctx: Ctx): Promise<void> {
  await sql`select from sites where id = ${ctx.site.id} for no key update`.execute(ctx.db)
}

/** Call it after `lockAdmins` and the change. Throws Conflict if the site has no admin left, which undoes the change. */
export async function requireAnAdmin(ctx: Ctx): Promise<void> {
  const { rows } = await sql`
    select from users join user_groups on user_groups.user_id = users.id and user_groups.name = 'admins'
    where users.site_id = ${ctx.site.id} and users.is_active and users.erased_at is null limit 1`.execute(ctx.db)
  if (rows.length === 0) {
    throw new Conflict(
      'user.last_admin',
      'This is the last admin of the site. Please make somebody else an admin first.',
    )
  }
}

export async function isAdminAccount(ctx: Ctx, userId: number): Promise<boolean> {
  const row = await ctx.db
    .selectFrom('user_groups')
    .select('name')
    .where('user_id', '=', userId)
    .where('name', '=', 'admins')
    .executeTakeFirst()
  return row !== undefined
}
