import { sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import type { SystemCtx } from '../context.ts'
import { daysAgo } from '../restorable.ts'

const batchSize = 5000

/**
 * Job: empties the ledger of what ended more than MAIL_DAYS ago. Mails of messages keep their row and state, which the
 * statistics count, and lose who they were for and what the server said; why somebody was left out stays. All other
 * mails are deleted. Each batch is a transaction of its own, so a job that is killed goes on where it was.
 */
export async function clearOldMails(
  ctx: SystemCtx,
  { signal, most = batchSize }: { signal?: AbortSignal; most?: number } = {},
): Promise<{ cleared: number; deleted: number }> {
  const total = { cleared: 0, deleted: 0 }
  while (!signal?.aborted) {
    const { cleared, deleted } = await clearBatch(ctx, most)
    total.cleared += cleared
    total.deleted += deleted
    if (cleared + deleted < most) break
  }
  return total
}

async function clearBatch(ctx: SystemCtx, most: number): Promise<{ cleared: number; deleted: number }> {
  const { rows } = await sql<{ cleared: number; deleted: number }>`
    with old as (
      select id, (kind = 'message' and announcement_id is not null) as stays from mails
      where ended_at < ${daysAgo(ctx, env().MAIL_DAYS)}
        and (subject <> '' or address is not null or kind <> 'message' or announcement_id is null)
      order by ended_at limit ${most} for update skip locked),
    cleared as (
      update mails set
        address = null, address_key = null, name = null, subject = '', message_id = null,
        response = case when state = 'skipped' then response end
      from old where mails.id = old.id and old.stays returning mails.id),
    deleted as (delete from mails using old where mails.id = old.id and not old.stays returning mails.id)
    select (select count(*) from cleared)::int as cleared, (select count(*) from deleted)::int as deleted`.execute(
    ctx.db,
  )
  return rows[0] ?? { cleared: 0, deleted: 0 }
}
