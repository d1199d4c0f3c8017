/** Invitations that are sent again without an admin: when their owner asks for a new link, and as a reminder. */
import { sql } from 'kysely'
import { decodeUid, isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { invitationLinkDays } from '../accounts/tokens.server.ts'
import type { Ctx } from '../context.ts'
import { Unavailable } from '../errors.ts'
import { countAttempts } from '../limits/limits.server.ts'
import { queue, queueAll } from '../queue/queue.server.ts'
import { openAndSend } from './invite-users.server.ts'

/** How often an address of the network may ask within an hour. */
const mostRequests = 30
const hourSeconds = 3600

/**
 * Asks for a new link in place of one that has expired. It does the same whether there is such an account or not, and the
 * mail goes to the address of the invitation, so that it tells nothing to strangers.
 */
export async function askForNewInvitation(ctx: Ctx, input: { userUid64b: string }): Promise<void> {
  const userUid = decodeUid(input.userUid64b)
  const [count = 0] = await countAttempts(ctx, [`invitation-renewal:${ctx.address ?? ''}`], hourSeconds)
  if (count > mostRequests) throw new Unavailable('Too many requests. Please try again in an hour.')
  if (!userUid || !isUid(userUid)) return
  await queue(ctx, 'renew-invitation', { userUid }, { key: `renew-invitation:${userUid}` })
}

/** Job: sends a new link to somebody who has not opened the account, unless a mail was sent in the last hour. */
export async function renewOwnInvitation(ctx: Ctx, input: { userUid: string }): Promise<{ sent: number }> {
  return inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<{ uid: string }>`
      select users.uid from users
      where users.site_id = ${ctx.site.id} and users.uid = ${input.userUid} and users.password_hash is null
        and users.erased_at is null and not users.is_active
        and exists (select from invitations where invitations.user_id = users.id and invitations.accepted_at is null)
        and exists (select from user_groups where user_id = users.id and name = 'pending_users')
      for update of users`.execute(ctx.db)
    return { sent: rows.length === 0 ? 0 : await openAndSend(ctx, { userUids: [input.userUid] }) }
  })
}

/** How many days before a link expires its owner is reminded. */
const reminderDays = 7
const mostReminded = 10_000

/**
 * Job: reminds those whose invitation says so and whose link expires within a week, once for each link that an admin or
 * they themselves have asked for.
 */
export async function remindInvitedPeople(ctx: Ctx): Promise<{ reminded: number }> {
  const daysAgo = (days: number) => new Date(ctx.now.getTime() - days * 86_400_000)
  return inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<{ uid: string }>`
      update invitations set reminded_at = ${ctx.now}, sent_at = null
      where id in (
        select invitations.id from invitations join users on users.id = invitations.user_id
        where invitations.site_id = ${ctx.site.id} and invitations.is_reminded and invitations.reminded_at is null
          and invitations.accepted_at is null and invitations.refused_at is null
          and invitations.sent_at <= ${daysAgo(invitationLinkDays - reminderDays)}
          and invitations.sent_at > ${daysAgo(invitationLinkDays)}
          and users.password_hash is null and users.erased_at is null
        order by invitations.id limit ${mostReminded} for update of invitations)
      returning uid`.execute(ctx.db)
    const jobs = rows.map(({ uid }) => ({ payload: { invitationUid: uid }, key: `invitation:${uid}` }))
    await queueAll(ctx, 'send-invitation', jobs)
    return { reminded: rows.length }
  })
}
