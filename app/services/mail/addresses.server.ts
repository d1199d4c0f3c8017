/** SQL about addresses, for the ledger and for domains that decide who gets a mail. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../context.ts'

/** True for an address that mail servers accept without quoting, as `isMailAddress` says. */
export function isDeliverable(address: RawBuilder<unknown>): RawBuilder<SqlBool> {
  const part = String.raw`[^\s@<>()[\]\\,;:"[:cntrl:]]+`
  return sql`coalesce(${address} ~ ${`^${part}@${part}$`}, false)`
}

/** True for an address to which nothing is sent, because mail to it came back or its owner complained. */
export function isSuppressed(ctx: Pick<Ctx, 'site'>, addressKey: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql`exists (
    select from mail_suppressions suppression
    where suppression.site_id = ${ctx.site.id} and suppression.address_key = ${addressKey}
      and suppression.released_at is null)`
}
