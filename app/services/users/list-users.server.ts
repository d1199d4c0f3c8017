/** All users of a site by name, for programs of admins (C-204). */
import { type SqlBool, sql } from 'kysely'
import { type Page, pageByName } from '~/lib/cursor.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { type PageInput, parsePage } from '../paging.ts'
import { type UserRow, userQuery } from './queries.server.ts'

/** Lists the users of the site, also those who are invited or disabled, for admins. */
export async function listUsers(ctx: Ctx, input: PageInput = {}): Promise<Page<UserRow>> {
  requireAdmin(ctx)
  const page = parsePage('users', input)
  const { first, after } = page
  // The names come first, so that only the users of this page are joined to everything else.
  let names = ctx.db
    .selectFrom('users')
    .select(['users.id', 'users.name_key as name'])
    .where('users.site_id', '=', ctx.site.id)
    .where('users.erased_at', 'is', null)
    .orderBy('users.name_key')
    .orderBy('users.id')
    .limit(first + 1)
  if (after) names = names.where(sql<SqlBool>`(users.name_key, users.id) > (${after.name}, ${after.id})`)
  const rows = await userQuery(ctx.db)
    .innerJoin(names.as('named'), 'named.id', 'users.id')
    .select(['users.id', 'named.name'])
    .orderBy('named.name')
    .orderBy('users.id')
    .execute()
  return pageByName(page, rows, ({ id: _, name: __, ...row }) => row)
}

/** Counts the users of the site, for admins. */
export async function countUsers(ctx: Ctx): Promise<number> {
  requireAdmin(ctx)
  const row = await ctx.db
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('site_id', '=', ctx.site.id)
    .where('erased_at', 'is', null)
    .executeTakeFirstOrThrow()
  return row.count
}
