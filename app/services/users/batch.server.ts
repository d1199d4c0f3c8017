import { isUid } from '~/lib/uid.ts'
import { type Ctx, isAdmin, requireViewer } from '../context.ts'
import { type UserRow, userQuery } from './queries.server.ts'

/** Oneself among them, and for admins everybody of the site; by uid. */
export async function listUsersByUid(ctx: Ctx, userUids: string[]): Promise<Map<string, UserRow>> {
  const viewer = requireViewer(ctx)
  const uids = userUids.filter((uid) => isUid(uid) && (isAdmin(viewer) || uid === viewer.uid))
  if (uids.length === 0) return new Map()
  const rows = await userQuery(ctx.db).where('users.site_id', '=', ctx.site.id).where('users.uid', 'in', uids).execute()
  return new Map(rows.map((row) => [row.uid, row]))
}
