import { sql } from 'kysely'
import type { Ctx } from '../context.ts'

/** Job: sends the mails of messages that are waiting in the ledger. */
export async function sendMessages(ctx: Ctx): Promise<{ finished: number }> {
  return { finished: await finishMessages(ctx) }
}

/** Marks messages as done of which no mail is waiting any more. */
async function finishMessages(ctx: Ctx): Promise<number> {
  const { numAffectedRows } = await sql`
    update announcements set
      sending = 'done', finished_at = ${ctx.now}, status = 'sent', sent_at = coalesce(sent_at, ${ctx.now})
    where site_id = ${ctx.site.id} and sending = 'sending' and not exists (
      select from mails where mails.announcement_id = announcements.id and mails.state in ('queued', 'sending'))`.execute(
    ctx.db,
  )
  return Number(numAffectedRows ?? 0)
}
