import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'

export type ReceivedMessage = {
  uid: string
  subject: string
  channel: string
  state: string
  sentAt: Date | null
  openedAt: Date | null
  clickedAt: Date | null
}

/** Lists the latest 100 messages that were sent to somebody, newest first, for admins. */
export async function listReceivedMessages(ctx: Ctx, input: { userUid: string }): Promise<ReceivedMessage[]> {
  requireAdmin(ctx)
  if (!isUid(input.userUid)) throw new NotFound()
  return ctx.db
    .selectFrom('announcement_recipients as r')
    .innerJoin('announcements as a', 'a.id', 'r.announcement_id')
    .innerJoin('users', 'users.id', 'r.user_id')
    .select([
      'a.uid',
      'a.subject',
      'r.channel',
      'r.state',
      'a.sent_at as sentAt',
      'r.opened_at as openedAt',
      'r.clicked_at as clickedAt',
    ])
    .where('users.uid', '=', input.userUid)
    .where('users.site_id', '=', ctx.site.id)
    .where('users.erased_at', 'is', null)
    .where('a.status', '=', 'sent')
    .orderBy('a.sent_at', 'desc')
    .orderBy('a.id', 'desc')
    .limit(100)
    .execute()
}
