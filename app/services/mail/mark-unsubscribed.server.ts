import { sql } from 'kysely'
import type { Ctx } from '../context.ts'

/** Writes into the ledger that the link of this mail ended mails of its kind. The first time stays. */
export async function markUnsubscribed(ctx: Ctx, { token }: { token: string }): Promise<void> {
  await sql`
    update mails set unsubscribed_at = ${ctx.now}
    where token = ${token} and site_id = ${ctx.site.id} and unsubscribed_at is null`.execute(ctx.db)
}
