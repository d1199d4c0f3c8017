/** Areas that a site can switch off: what is off is in no list, no search and no answer. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import type { FlagName } from '../sites/sites.server.ts'

/** As a condition of a query, so that asking costs no query of its own. */
export function isSwitchedOn(ctx: Ctx, flag: FlagName): RawBuilder<SqlBool> {
  return isOnAtSite(sql`${ctx.site.id}`, flag)
}

/** The same of the site of a row. */
export function isOnAtSite(siteId: RawBuilder<unknown>, flag: FlagName): RawBuilder<SqlBool> {
  return sql`exists (
    select from feature_flags where feature_flags.site_id = ${siteId} and feature_flags.name = ${flag} and feature_flags.is_on)`
}
