/**
 * Openings and clicks of messages by email (C-279). The uid of the mail is in the addresses of its picture and its
 * links. It is not the token that unsubscribes, because people share links. Each counts once. What machines do is kept
 * apart.
 */
import { sql } from 'kysely'
import { isUid } from '~/lib/uid.ts'
import type { Ctx } from '../context.ts'
import { burstSeconds, isMachine, type Visit } from './machine-visits.ts'

export type MailVisit = Omit<Visit, 'at'>

/** Where a link of a mail leads; null for anything that is not a link of the message that the mail was about. */
export async function findMailLink(ctx: Ctx, input: { mailUid: string; link: string }): Promise<string | null> {
  if (!isUid(input.mailUid) || !isUid(input.link)) return null
  const { rows } = await sql<{ url: string }>`
    select link.url from mails
    join announcement_links link on link.announcement_id = mails.announcement_id
    where mails.uid = ${input.mailUid} and mails.site_id = ${ctx.site.id} and link.token = ${input.link}`.execute(
    ctx.db,
  )
  return rows[0]?.url ?? null
}

/** Records that the picture of a mail was fetched. */
export async function recordMailOpen(ctx: Ctx, input: { mailUid: string; visit: MailVisit }): Promise<void> {
  const mail = await findTracked(ctx, input.mailUid)
  if (!mail) return
  const isByMachine = isMachine({ ...input.visit, at: ctx.now }, mail)
  // A scanner that follows links fetches the picture too.
  await sql`
    update announcement_recipients r set
      machine_opened_at = case when by.machine then coalesce(machine_opened_at, ${ctx.now}) else machine_opened_at end,
      opened_at = case when by.machine then opened_at else coalesce(opened_at, ${ctx.now}) end
    from (
      select ${isByMachine} or coalesce(machine_clicked_at > ${ctx.now}::timestamptz - ${burst}, false) as machine
      from announcement_recipients where id = ${mail.recipientId}) by
    where r.id = ${mail.recipientId} and (case when by.machine then machine_opened_at else opened_at end) is null`.execute(
    ctx.db,
  )
}

/**
 * Records that a link of a mail was followed, which also opens the mail. A second link within seconds shows that the
 * first one was followed by a machine as well, so that one is taken back.
 */
export async function recordMailClick(
  ctx: Ctx,
  input: { mailUid: string; link: string; visit: MailVisit },
): Promise<void> {
  if (!isUid(input.link)) return
  const mail = await findTracked(ctx, input.mailUid)
  if (!mail) return
  const isByMachine = isMachine({ ...input.visit, at: ctx.now }, mail)
  const since = sql`${ctx.now}::timestamptz - ${burst}`
  await sql`
    with recipient as (
      select own.id, own.opened_at, own.clicked_at, link.id as link_id,
        coalesce(own.clicked_at > ${since} and own.clicked_link_id <> link.id, false) as is_burst,
        ${isByMachine} or coalesce(own.machine_clicked_at > ${since}, false) as is_machine
      from announcement_recipients own
      join announcement_links link on link.announcement_id = own.announcement_id and link.token = ${input.link}
      where own.id = ${mail.recipientId} for update of own)
    update announcement_recipients r set
      clicked_at = case when is_burst then null when is_machine then r.clicked_at
        else coalesce(r.clicked_at, ${ctx.now}) end,
      clicked_link_id = case when is_burst then null when is_machine or r.clicked_at is not null then r.clicked_link_id
        else recipient.link_id end,
      opened_at = case when is_burst and r.opened_at > ${since} then null when is_burst or is_machine then r.opened_at
        else coalesce(r.opened_at, ${ctx.now}) end,
      machine_clicked_at = case when is_burst or is_machine then ${ctx.now} else r.machine_clicked_at end,
      machine_opened_at = case when is_burst and r.opened_at > ${since} then coalesce(r.machine_opened_at, r.opened_at)
        else r.machine_opened_at end
    from recipient where r.id = recipient.id`.execute(ctx.db)
}

const burst = sql`make_interval(secs => ${burstSeconds})`

type Tracked = { recipientId: number; acceptedAt: Date }

/** A mail whose recipient may be tracked now, and could be when it was sent. Without one, nothing is recorded. */
async function findTracked(ctx: Ctx, mailUid: string): Promise<Tracked | null> {
  if (!isUid(mailUid)) return null
  const { rows } = await sql<Tracked>`
    select mails.recipient_id as "recipientId", coalesce(mails.ended_at, ${ctx.now}) as "acceptedAt"
    from mails
    join sites on sites.id = mails.site_id
    join users on users.id = mails.user_id
    where mails.uid = ${mailUid} and mails.site_id = ${ctx.site.id} and mails.is_tracked
      and mails.recipient_id is not null and sites.tracks_mails and not users.opted_out_of_tracking
      and users.erased_at is null`.execute(ctx.db)
  return rows[0] ?? null
}
