/** Addresses that get no mail: because mail to them was refused or came back, or their owner complained. For admins. */
import { sql } from 'kysely'
import { containsPattern, emailKey, isStorable } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'
import { limitsOfPage, type NumberedPageInput } from '../paging.ts'

export type Suppression = {
  uid: string
  address: string
  reason: 'refused' | 'bounced' | 'complained'
  /** The words of the mail server. */
  response: string | null
  since: Date
}

/** Lists a page of the addresses that get no mail, the latest first. */
export async function listSuppressions(
  ctx: Ctx,
  input: { search?: string } & NumberedPageInput,
): Promise<{ items: Suppression[]; total: number }> {
  requireAdmin(ctx)
  const { search = '' } = input
  if (!isStorable(search)) return { items: [], total: 0 }
  const { limit, offset } = limitsOfPage({ size: 20, ...input })
  const found = sql`from mail_suppressions
    where site_id = ${ctx.site.id} and released_at is null and address_key like ${containsPattern(emailKey(search))}`
  const [{ rows: items }, { rows: counts }] = await Promise.all([
    sql<Suppression>`
      select uid, address_key as address, reason, response, since ${found}
      order by since desc, id desc limit ${limit} offset ${offset}`.execute(ctx.db),
    sql<{ total: number }>`select count(*)::int as total ${found}`.execute(ctx.db),
  ])
  return { items, total: counts[0]?.total ?? 0 }
}

/** Sends to an address again. Doing it twice changes nothing. */
export async function releaseSuppression(ctx: Ctx, input: { uid: string }): Promise<void> {
  requireAdmin(ctx, 'write')
  if (!isUid(input.uid)) throw new NotFound()
  await inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<{ uid: string; isReleased: boolean }>`
      select uid, released_at is not null as "isReleased" from mail_suppressions
      where uid = ${input.uid} and site_id = ${ctx.site.id} for update`.execute(ctx.db)
    const [row] = rows
    if (!row) throw new NotFound()
    if (row.isReleased) return
    await sql`
      update mail_suppressions set released_at = ${ctx.now}, released_by = ${ctx.viewer?.id ?? null}
      where uid = ${row.uid}`.execute(ctx.db)
    await recordAudit(ctx, { action: 'mail_suppression.released', entity: 'mail_suppression', entityUid: row.uid })
  })
}
