import { sql } from 'kysely'
import type { Ctx } from '../context.ts'

/** Puts one mail of a message that is in doubt back into the queue, or all of them. Returns how many. */
export async function queueInDoubt(
  ctx: Ctx,
  { announcementId, mailUid }: { announcementId: number; mailUid: string | null },
): Promise<number> {
  const { numAffectedRows } = await sql`
    update mails set
      state = 'queued', claim = null, claimed_at = null, ended_at = null, tried_at = null, next_at = ${ctx.now}
    where announcement_id = ${announcementId} and site_id = ${ctx.site.id} and state = 'in_doubt'
      and (${mailUid}::uuid is null or uid = ${mailUid}::uuid)`.execute(ctx.db)
  return Number(numAffectedRows ?? 0)
}
