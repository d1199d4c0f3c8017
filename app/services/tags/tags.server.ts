/** Tags: words that staff put on content, unique on a site without case. */
import { sql } from 'kysely'
import { type Page, pageByName } from '~/lib/cursor.ts'
import type { Ctx } from '../context.ts'
import { type PageInput, parsePage } from '../paging.ts'

export type Tag = { uid: string; text: string }

/** By text. */
export async function listTags(ctx: Ctx, input: PageInput = {}): Promise<Page<Tag>> {
  const { first, after } = parsePage(input)
  let query = ctx.db
    .selectFrom('tags')
    .select(['id', 'uid', 'text as name'])
    .where('site_id', '=', ctx.site.id)
    .orderBy('text')
    .orderBy('id')
  if (after) query = query.where(sql<boolean>`(text, id) > (${after.name}, ${after.id})`)
  const rows = await query.limit(first + 1).execute()
  return pageByName(rows, first, ({ uid, name }) => ({ uid, text: name }))
}

export async function countTags(ctx: Ctx): Promise<number> {
  const row = await ctx.db
    .selectFrom('tags')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('site_id', '=', ctx.site.id)
    .executeTakeFirstOrThrow()
  return row.count
}
