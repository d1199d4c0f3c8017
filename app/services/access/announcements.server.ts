/** Whose a message is: one fragment for their list, their count, their badge and the files that come with them. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { isOnAtSite } from './flags.server.ts'

/** Where a recipient `r` and the message `a` are joined: sent to the viewer's dashboard, on a site that has announcements. */
export function isSentToViewer(ctx: Ctx): RawBuilder<SqlBool> {
  return isSentTo({ userId: sql`${ctx.viewer?.id ?? null}`, siteId: sql`${ctx.site.id}` })
}

/** The same of anybody, for lists of people. */
export function isSentTo(of: { userId: RawBuilder<unknown>; siteId: RawBuilder<unknown> }): RawBuilder<SqlBool> {
  return sql`(
    r.user_id = ${of.userId} and r.channel = 'dashboard' and r.state = 'sent'
    and a.site_id = ${of.siteId} and a.delivery_type = 'dashboard' and a.status = 'sent' and a.deleted_at is null
    and ${isOnAtSite(of.siteId, 'ANNOUNCEMENTS')})`
}
