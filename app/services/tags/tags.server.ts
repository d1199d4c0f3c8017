/** Tags: words that staff add to content. They are unique on a site, ignoring case and what is invisible. */
import { sql } from 'kysely'
import { type Page, pageByName } from '~/lib/cursor.ts'
import { caseKey, storedKeys } from '~/lib/text.ts'
import { isTagSeen } from '../access/tagged.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { type PageInput, parsePage } from '../paging.ts'

export type Tag = { uid: string; text: string }

/** Lists the tags that the viewer sees, by text. */
export async function listTags(ctx: Ctx, input: PageInput = {}): Promise<Page<Tag>> {
  requireViewer(ctx)
  const page = parsePage('tags', input)
  const { first, after } = page
  let query = ctx.db
    .selectFrom('tags')
    .select(['id', 'uid', 'text as name'])
    .where('site_id', '=', ctx.site.id)
    .where(isTagSeen(ctx))
    .orderBy('text')
    .orderBy('id')
  if (after) query = query.where(sql<boolean>`(text, id) > (${after.name}, ${after.id})`)
  const rows = await query.limit(first + 1).execute()
  return pageByName(page, rows, ({ uid, name }) => ({ uid, text: name }))
}

export async function countTags(ctx: Ctx): Promise<number> {
  const row = await ctx.db
    .selectFrom('tags')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('site_id', '=', ctx.site.id)
    .where(isTagSeen(ctx))
    .executeTakeFirstOrThrow()
  return row.count
}

/**
 * Creates the tags that the site does not have yet, and returns the uids of all. Texts are unique, ignoring case; the
 * stored spelling stays.
 */
export async function ensureTags(ctx: Ctx, input: { texts: string[] }): Promise<string[]> {
  if (input.texts.length === 0) return []
  const keyOf = await findKeys(ctx, input.texts)
  const wanted = new Map(input.texts.map((text) => [keyOf(text), text]))
  // Sorted, so that two authors who create the same tags wait for each other instead of deadlocking.
  const keys = [...wanted.keys()].sort()
  await ctx.db
    .insertInto('tags')
    .values(keys.map((key) => ({ site_id: ctx.site.id, text: wanted.get(key) ?? key, text_key: key })))
    .onConflict((oc) => oc.columns(['site_id', 'text_key']).doNothing())
    .execute()
  const rows = await ctx.db
    .selectFrom('tags')
    .select('uid')
    .where('site_id', '=', ctx.site.id)
    .where('text_key', 'in', keys)
    .execute()
  return rows.map(({ uid }) => uid)
}

/** Finds the key of each text: that of its tag, or else the one that a new tag will have. */
export async function findKeys(ctx: Ctx, texts: string[]): Promise<(text: string) => string> {
  const rows = await ctx.db
    .selectFrom('tags')
    .select('text_key as key')
    .where('site_id', '=', ctx.site.id)
    .where('text_key', 'in', texts.flatMap(storedKeys))
    .execute()
  const known = new Set(rows.map(({ key }) => key))
  return (text) => storedKeys(text).find((key) => known.has(key)) ?? caseKey(text)
}

const maxItems = 1000

/** Lists tags to suggest while typing. */
export async function listTagTexts(ctx: Ctx): Promise<string[]> {
  return (await listAllTags(ctx)).map(({ text }) => text)
}

/** Lists all tags by text, up to a thousand. */
export async function listAllTags(ctx: Ctx): Promise<Tag[]> {
  return await ctx.db
    .selectFrom('tags')
    .select(['uid', 'text'])
    .where('site_id', '=', ctx.site.id)
    .orderBy('text')
    .orderBy('id')
    .limit(maxItems)
    .execute()
}
