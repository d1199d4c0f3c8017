/** The query of the report about messages. */
import { type RawBuilder, sql } from 'kysely'
import type { ReportPeriod } from '~/lib/report-periods.ts'
import type { Ctx } from '../context.ts'
import { type Cell, isIn, type ReportSource, sumCell, timeCell } from './report-cells.server.ts'

/** As in the statistics of a message. A recipient has one mail at most, which is joined here. */
const isDelivered = sql`r.state = 'sent' and mail.state is distinct from 'bounced'`

/** Messages that were sent in the period, or one of them, with what people did and what became of the mails (C-236). */
export function messagesQuery(ctx: Ctx, { period, uid }: { period: ReportPeriod; uid: string | null }): ReportSource {
  /** Each number is counted once, for the lines and for the totals. */
  const counts: RawBuilder<unknown>[] = []
  const counted = (head: string, number: RawBuilder<unknown>) => {
    const name = `n${counts.length}`
    counts.push(sql`${number} as ${sql.ref(name)}`)
    return sumCell(head, sql`coalesce(${sql.ref(`facts.${name}`)}, 0)`)
  }
  const count = (head: string, condition: RawBuilder<unknown>) =>
    counted(head, sql`count(*) filter (where ${condition})::int`)
  const withMail = (head: string, state: string) => count(head, sql`mail.state = ${state}`)
  const cells: Cell[] = [
    { head: 'Name', sql: sql`message.name`, link: sql`'message:' || message.uid` },
    { head: 'Subject', sql: sql`message.subject` },
    {
      head: 'Delivery',
      sql: sql`case message.delivery_type when 'email' then 'Email' else 'Learner dashboard' end`,
    },
    { head: 'From', sql: sql`message.from_field` },
    { head: 'Author', sql: sql`message.author_name` },
    timeCell(ctx, 'Sent', sql`message.sent_at`),
    counted('Recipients', sql`count(r.id)::int`),
    count('Delivered', isDelivered),
    count('Left out', sql`r.state = 'skipped' or mail.state = 'skipped'`),
    count('Opened', sql`r.opened_at is not null`),
    count('Unread', sql`${isDelivered} and r.opened_at is null`),
    count('Link followed', sql`r.clicked_at is not null`),
    count('Pinned', sql`r.pinned_at is not null`),
    withMail('Emails accepted', 'accepted'),
    withMail('Emails refused', 'refused'),
    withMail('Emails in doubt', 'in_doubt'),
    withMail('Emails that came back', 'bounced'),
    withMail('Complaints', 'complained'),
    count('Mails without tracking', sql`mail.state in ('accepted', 'in_doubt', 'bounced') and not mail.is_tracked`),
    count('Unsubscribed', sql`mail.unsubscribed_at is not null`),
    count('Opened by machines', sql`r.machine_opened_at is not null`),
    count('Link followed by machines', sql`r.machine_clicked_at is not null`),
  ]
  const isAsked = sql`
    message.site_id = ${ctx.site.id} and message.status = 'sent' and message.deleted_at is null
    and ${uid === null ? isIn(period, sql`message.sent_at`) : sql`message.uid = ${uid}::uuid`}`
  return {
    heads: cells.map(({ head }) => head),
    open: async () => ({
      facts: sql`
        select message.id, ${sql.join(counts)}
        from announcement_recipients r
          join announcements message on message.id = r.announcement_id
          left join mails mail on mail.recipient_id = r.id
        where ${isAsked} group by message.id`,
      cells,
      from: sql`from announcements message left join facts on facts.id = message.id where ${isAsked}`,
      order: sql`message.sent_at, message.id`,
    }),
  }
}
