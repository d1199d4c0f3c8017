/** What became of the mails of a message, in counts. For admins. */
import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'

export type MailState =
  | 'queued'
  | 'sending'
  | 'accepted'
  | 'refused'
  | 'in_doubt'
  | 'bounced'
  | 'complained'
  | 'skipped'

/** Why somebody got no mail. */
export type SkipReason = 'opted_out' | 'no_address' | 'disabled' | 'suppressed'

export type LedgerCounts = {
  total: number
  states: Partial<Record<MailState, number>>
  reasons: Partial<Record<SkipReason, number>>
  /** How many were sent with a picture and links that count. */
  tracked: number
  /** How many were handed to the mail server without them. */
  untracked: number
  unsubscribed: number
}

/** Counts for several messages in one query. A message without mails has no counts. */
export async function countMailsOfMessages(ctx: Ctx, uids: string[]): Promise<Map<string, LedgerCounts>> {
  requireAdmin(ctx)
  type Row = { uid: string; state: MailState; reason: SkipReason | null } & Record<
    'count' | 'tracked' | 'untracked' | 'unsubscribed',
    number
  >
  const { rows } = await sql<Row>`
    select message.uid, mails.state, case when mails.state = 'skipped' then mails.response end as reason,
      count(*)::int as count, count(*) filter (where mails.is_tracked)::int as tracked,
      count(*) filter (where not mails.is_tracked and mails.state in (
        'accepted', 'in_doubt', 'bounced', 'complained'))::int as untracked,
      count(mails.unsubscribed_at)::int as unsubscribed
    from announcements message join mails on mails.announcement_id = message.id
    where message.site_id = ${ctx.site.id} and message.uid = any(${uids.filter(isUid)}::uuid[])
    group by message.uid, 2, 3`.execute(ctx.db)
  const all = new Map<string, LedgerCounts>()
  for (const { uid, state, reason, count, tracked, untracked, unsubscribed } of rows) {
    const counts = all.get(uid) ?? noMails()
    counts.total += count
    counts.states[state] = (counts.states[state] ?? 0) + count
    if (reason) counts.reasons[reason] = (counts.reasons[reason] ?? 0) + count
    counts.tracked += tracked
    counts.untracked += untracked
    counts.unsubscribed += unsubscribed
    all.set(uid, counts)
  }
  return all
}

export function noMails(): LedgerCounts {
  return { total: 0, states: {}, reasons: {}, tracked: 0, untracked: 0, unsubscribed: 0 }
}

/** How many mails of a message are in doubt, and the address of one of them if it is asked for. */
export async function countInDoubt(
  ctx: Ctx,
  input: { announcementUid: string; mailUid: string | null },
): Promise<{ name: string; count: number; address: string | null }> {
  requireAdmin(ctx)
  const { announcementUid, mailUid } = input
  if (!isUid(announcementUid) || (mailUid !== null && !isUid(mailUid))) throw new NotFound()
  const { rows } = await sql<{ name: string; count: number; address: string | null }>`
    select message.name, count(mails.id)::int as count, min(mails.address) as address
    from announcements message
    left join mails on mails.announcement_id = message.id and mails.state = 'in_doubt'
      and (${mailUid}::uuid is null or mails.uid = ${mailUid}::uuid)
    where message.uid = ${announcementUid} and message.site_id = ${ctx.site.id} and message.deleted_at is null
    group by message.id`.execute(ctx.db)
  if (!rows[0]) throw new NotFound()
  return { ...rows[0], address: mailUid === null ? null : rows[0].address }
}
