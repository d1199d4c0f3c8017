import { sql } from 'kysely'
import type { Ctx } from '../context.ts'

/**
 * Writes the ledger of a message in the caller's transaction: one row for each recipient who has been decided on, also
 * for those who are skipped. One statement, because there may be a hundred thousand.
 */
export async function addMailsOfMessage(
  ctx: Ctx,
  { announcementId, subject }: { announcementId: number; subject: string },
): Promise<void> {
  await sql`
    insert into mails (
      site_id, kind, user_id, announcement_id, recipient_id, address, address_key, name, subject, state, response,
      next_at, created_at, ended_at)
    select r.site_id, 'message', r.user_id, r.announcement_id, r.id, users.email, users.email_key,
      trim(concat_ws(' ', users.first_name, users.last_name)), ${subject},
      case when r.skipped is null then 'queued' else 'skipped' end, r.skipped, ${ctx.now}, ${ctx.now},
      case when r.skipped is null then null else ${ctx.now}::timestamptz end
    from announcement_recipients r left join users on users.id = r.user_id
    where r.announcement_id = ${announcementId} and r.channel = 'email' and r.state in ('sent', 'skipped')
    order by r.id
    on conflict (recipient_id) do nothing`.execute(ctx.db)
}
