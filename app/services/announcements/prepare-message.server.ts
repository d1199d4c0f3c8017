import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Condition } from '~/forms/audiences.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { peopleOfAudience } from '../audiences/people.server.ts'
import type { Ctx } from '../context.ts'
import { isDeliverable, isSuppressed } from '../mail/addresses.server.ts'
import { addMailsOfMessage } from '../mail/message-mails.server.ts'
import { deliverToDashboards, recordLinks } from './deliver-to-dashboards.server.ts'
import { cannotBeUsed } from './recipients.server.ts'
import { queueSending } from './send-messages.server.ts'

/**
 * Job: adds the people who are in the audiences of a message now, leaves out who cannot get it (C-049), and writes the
 * ledger of its mails or delivers it to dashboards. One transaction: a job that is killed has done nothing, and a second
 * one finds the message prepared.
 */
export async function prepareMessage(ctx: Ctx, input: { announcementUid: string }): Promise<{ recipients: number }> {
  if (!isUid(input.announcementUid)) return { recipients: 0 }
  return inTransaction(ctx, async (ctx) => {
    const message = await ctx.db
      .selectFrom('announcements')
      .select(['id', 'subject', 'delivery_type as deliveryType', 'not_after as notAfter'])
      .where('uid', '=', input.announcementUid)
      .where('site_id', '=', ctx.site.id)
      .where('sending', '=', 'preparing')
      .where('deleted_at', 'is', null)
      .forUpdate()
      .executeTakeFirst()
    if (!message) return { recipients: 0 }
    const { id } = message
    if (message.notAfter && message.notAfter < ctx.now) {
      // No worker ran at its time.
      await setSending(ctx, id, sql`sending = 'late', started_at = null`)
      return { recipients: 0 }
    }
    await addPeopleOfAudiences(ctx, id)
    if (message.deliveryType === 'dashboard') {
      await deliverToDashboards(ctx, id)
      return { recipients: await countSent(ctx, id) }
    }
    await recordLinks(ctx, id)
    await chooseRecipients(ctx, id)
    await addMailsOfMessage(ctx, { announcementId: id, subject: message.subject })
    await setSending(ctx, id, sql`sending = 'sending', prepared_at = ${ctx.now}`)
    await queueSending(ctx)
    return { recipients: await countSent(ctx, id) }
  })
}

async function setSending(ctx: Ctx, id: number, set: RawBuilder<unknown>): Promise<void> {
  await sql`update announcements set ${set} where id = ${id}`.execute(ctx.db)
}

async function countSent(ctx: Ctx, id: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from announcement_recipients
    where announcement_id = ${id} and state = 'sent'`.execute(ctx.db)
  return rows[0]?.count ?? 0
}

/** One statement for all audiences. People who have been chosen by hand as well are there once. */
async function addPeopleOfAudiences(ctx: Ctx, id: number): Promise<void> {
  const { rows: audiences } = await sql<{ conditions: Condition[] }>`
    select audiences.rule as conditions from announcement_audiences chosen
    join audiences on audiences.id = chosen.audience_id
    where chosen.announcement_id = ${id} and audiences.deleted_at is null`.execute(ctx.db)
  if (audiences.length === 0) return
  const people = sql.join(
    audiences.map((audience) => peopleOfAudience(ctx, audience)),
    sql` union `,
  )
  await sql`
    insert into announcement_recipients (site_id, announcement_id, user_id, channel, state)
    select ${ctx.site.id}, ${id}, person.id, announcements.delivery_type, 'draft'
    from (${people}) person cross join announcements where announcements.id = ${id}
    order by person.id
    on conflict (announcement_id, user_id) do nothing`.execute(ctx.db)
}

/** Decides who gets the mail. The ledger keeps the address and the name as they are now. */
async function chooseRecipients(ctx: Ctx, id: number): Promise<void> {
  await sql`
    update announcement_recipients r set
      channel = 'email', sent_at = ${ctx.now}, skipped = chosen.reason,
      state = case when chosen.reason is null then 'sent' else 'skipped' end
    from (
      select recipient.id, case ${reasons(ctx)} end as reason
      from announcement_recipients recipient left join users on users.id = recipient.user_id
      where recipient.announcement_id = ${id} and recipient.state = 'draft') chosen
    where r.id = chosen.id`.execute(ctx.db)
}

/** Why somebody does not get a message by email. People who are invited get it: they have an address. */
function reasons(ctx: Ctx): RawBuilder<SqlBool> {
  return sql`
    when ${cannotBeUsed(ctx)} then 'disabled'
    when users.opted_out_of_emails then 'opted_out'
    when not ${isDeliverable(sql`users.email`)} then 'no_address'
    when ${isSuppressed(ctx, sql`users.email_key`)} then 'suppressed'`
}
