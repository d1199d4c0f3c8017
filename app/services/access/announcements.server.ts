/** SQL fragments for messages that were sent to a person, shared by lists, counts, badges and attached files. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { isOnAtSite } from './flags.server.ts'

/**
 * For queries that join a recipient `r` and the message `a`: sent to the viewer's dashboard, on a site that has
 * announcements.
 */
export function isSentToViewer(ctx: Ctx): RawBuilder<SqlBool> {
  return isSentTo({ userId: sql`${ctx.viewer?.id ?? null}`, siteId: sql`${ctx.site.id}` })
}

/** Like `isSentToViewer`, for any person. */
export function isSentTo(of: { userId: RawBuilder<unknown>; siteId: RawBuilder<unknown> }): RawBuilder<SqlBool> {
  return sql`(
    r.user_id = ${of.userId} and r.channel = 'dashboard' and r.state = 'sent'
    and a.site_id = ${of.siteId} and a.delivery_type = 'dashboard' and a.status = 'sent' and a.deleted_at is null
    and ${isOnAtSite(of.siteId, 'ANNOUNCEMENTS')})`
}
