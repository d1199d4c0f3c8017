/**
 * Addresses that get no mail: because mail to them was refused or came back, their owner complained, or an admin said so.
 * For admins.
 */
import { sql } from 'kysely'
import type { z } from 'zod'
import { addSuppressionForm, type SuppressionReason } from '~/forms/mails.ts'
import { containsPattern, emailKey, isStorable } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { limitsOfPage, type NumberedPageInput } from '../paging.ts'

export type Suppression = {
  uid: string
  address: string
  reason: SuppressionReason
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

/** Returns a suppressed address. Throws NotFound for one that was released. */
export async function getSuppression(ctx: Ctx, input: { uid: string }): Promise<Suppression> {
  requireAdmin(ctx)
  if (!isUid(input.uid)) throw new NotFound()
  const { rows } = await sql<Suppression>`
    select uid, address_key as address, reason, response, since from mail_suppressions
    where uid = ${input.uid} and site_id = ${ctx.site.id} and released_at is null`.execute(ctx.db)
  if (!rows[0]) throw new NotFound()
  return rows[0]
}

/** Suppresses an address by hand. `isNew` is false if it is suppressed already. */
export async function addSuppression(
  ctx: Ctx,
  input: z.input<typeof addSuppressionForm>,
): Promise<{ address: string; isNew: boolean }> {
  requireAdmin(ctx, 'write')
  const address = emailKey(parseInput(addSuppressionForm, input).email)
  return inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<{ uid: string }>`
      insert into mail_suppressions (site_id, address_key, reason, since)
      values (${ctx.site.id}, ${address}, 'by_hand', ${ctx.now})
      on conflict (site_id, address_key) where released_at is null do nothing returning uid`.execute(ctx.db)
    if (rows[0]) await audit(ctx, 'added', rows[0].uid)
    return { address, isNew: rows.length > 0 }
  })
}

/** Sends to an address again. Doing it twice changes nothing. */
export async function releaseSuppression(ctx: Ctx, input: { uid: string }): Promise<{ uid: string; address: string }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const { id, uid, address, isReleased } = await lock(ctx, input.uid)
    if (!isReleased) {
      await sql`
        update mail_suppressions set released_at = ${ctx.now}, released_by = ${ctx.viewer?.id ?? null}
        where id = ${id}`.execute(ctx.db)
      await audit(ctx, 'released', uid)
    }
    return { uid, address }
  })
}

/** Takes a release back. It changes nothing if the address is suppressed again already. */
export async function restoreSuppression(ctx: Ctx, input: { uid: string }): Promise<{ address: string }> {
  requireAdmin(ctx, 'write')
  return inTransaction(ctx, async (ctx) => {
    const { id, address, isReleased } = await lock(ctx, input.uid)
    if (!isReleased) return { address }
    const { rows } = await sql<{ uid: string }>`
      insert into mail_suppressions (site_id, address_key, reason, response, since)
      select site_id, address_key, reason, response, since from mail_suppressions where id = ${id}
      on conflict (site_id, address_key) where released_at is null do nothing returning uid`.execute(ctx.db)
    if (rows[0]) await audit(ctx, 'restored', rows[0].uid)
    return { address }
  })
}

type Locked = { id: number; uid: string; address: string; isReleased: boolean }

async function lock(ctx: Ctx, uid: string): Promise<Locked> {
  if (!isUid(uid)) throw new NotFound()
  const { rows } = await sql<Locked>`
    select id, uid, address_key as address, released_at is not null as "isReleased" from mail_suppressions
    where uid = ${uid} and site_id = ${ctx.site.id} for update`.execute(ctx.db)
  if (!rows[0]) throw new NotFound()
  return rows[0]
}

/** Without the address, because the audit log is for ever. */
async function audit(ctx: Ctx, verb: string, uid: string): Promise<void> {
  await recordAudit(ctx, { action: `mail_suppression.${verb}`, entity: 'mail_suppression', entityUid: uid })
}
