/** When people signed in: the last time of each, and every time for reports. */
import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { recordLogin } from '../users/users.server.ts'

/** Records a login. The caller has checked that the person may log in. */
export async function recordSignIn(ctx: Ctx, { userUid }: { userUid: string }): Promise<void> {
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

/** Returns the last login of each of these people before a moment, by uid. People without one are left out. For admins. */
export async function listLastSignIns(
  ctx: Ctx,
  input: { userUids: string[]; before: Date },
): Promise<Map<string, Date>> {
  requireAdmin(ctx)
  const userUids = input.userUids.filter(isUid)
  if (userUids.length === 0) return new Map()
  const rows = await ctx.db
    .selectFrom('logins')
    .innerJoin('users', 'users.id', 'logins.user_id')
    .select((eb) => ['users.uid', eb.fn.max('logins.at').as('at')])
    .where('logins.site_id', '=', ctx.site.id)
    .where('users.uid', 'in', userUids)
    .where('logins.at', '<', input.before)
    .groupBy('users.uid')
    .execute()
  return new Map(rows.map(({ uid, at }) => [uid, at]))
}
