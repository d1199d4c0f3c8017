/** Areas that a site can switch off. They disappear from lists, search and all responses. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Ctx } from '../context.ts'
import type { FlagName } from '../sites/sites.server.ts'

/** SQL condition for a flag of the current site. It needs no query of its own. */
export function isSwitchedOn(ctx: Ctx, flag: FlagName): RawBuilder<SqlBool> {
  return isOnAtSite(sql`${ctx.site.id}`, flag)
}

/** SQL condition for a flag of any site, such as the site of a row. */
export function isOnAtSite(siteId: RawBuilder<unknown>, flag: FlagName): RawBuilder<SqlBool> {
  return sql`exists (
    select from feature_flags where feature_flags.site_id = ${siteId} and feature_flags.name = ${flag} and feature_flags.is_on)`
}
