import { emailKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { actsAsAdmin, type Ctx, requireActor, requireAdmin } from '../context.ts'
import { type UserRow, userQuery } from './queries.server.ts'

/** Finds users by uid. Admins find everybody of the site, others only themselves. */
export async function listUsersByUid(ctx: Ctx, userUids: string[]): Promise<Map<string, UserRow>> {
  requireActor(ctx)
  const uids = userUids.filter((uid) => isUid(uid) && (actsAsAdmin(ctx) || uid === ctx.viewer?.uid))
  if (uids.length === 0) return new Map()
  const rows = await userQuery(ctx.db).where('users.site_id', '=', ctx.site.id).where('users.uid', 'in', uids).execute()
  return new Map(rows.map((row) => [row.uid, row]))
}

/** Finds users of the site by email address, without regard to case. Returns them by the address asked for. For admins. */
export async function listUsersByEmail(ctx: Ctx, emails: string[]): Promise<Map<string, UserRow>> {
  requireAdmin(ctx)
  if (emails.length === 0) return new Map()
  const rows = await userQuery(ctx.db)
    .where('users.site_id', '=', ctx.site.id)
    .where('users.email_key', 'in', emails.map(emailKey))
    .select('users.email_key as key')
    .execute()
  const byKey = new Map(rows.map(({ key, ...row }) => [key, row]))
  return new Map(
    emails.flatMap((email) => {
      const user = byKey.get(emailKey(email))
      return user ? [[email, user] as const] : []
    }),
  )
}
