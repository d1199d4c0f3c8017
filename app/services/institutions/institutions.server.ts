/** Institutions that people belong to. Names are unique on a site, ignoring case and what is invisible. */
import { sql } from 'kysely'
import { type Page, pageByName } from '~/lib/cursor.ts'
import { caseKey, searchKey, storedKeys } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { type Ctx, requireAdmin, requireViewer } from '../context.ts'
import { type PageInput, parsePage } from '../paging.ts'

export type University = { uid: string; name: string }

/** Lists institutions by name, for everybody who is signed in, because profiles offer them. */
export async function listUniversities(ctx: Ctx, input: PageInput = {}): Promise<Page<University>> {
  requireViewer(ctx)
  const page = parsePage('universities', input)
  const { first, after } = page
  let query = ctx.db
    .selectFrom('universities')
    .select(['id', 'uid', 'name'])
    .where('site_id', '=', ctx.site.id)
    .orderBy('name')
    .orderBy('id')
  if (after) query = query.where(sql<boolean>`(name, id) > (${after.name}, ${after.id})`)
  const rows = await query.limit(first + 1).execute()
  return pageByName(page, rows, ({ uid, name }) => ({ uid, name }))
}

export async function countUniversities(ctx: Ctx): Promise<number> {
  requireViewer(ctx)
  const row = await ctx.db
    .selectFrom('universities')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('site_id', '=', ctx.site.id)
    .executeTakeFirstOrThrow()
  return row.count
}

/** Lists all that fit in one answer, for admins, who delete some of them. */
export async function listAllUniversities(ctx: Ctx): Promise<University[]> {
  requireAdmin(ctx)
  return ctx.db
    .selectFrom('universities')
    .select(['uid', 'name'])
    .where('site_id', '=', ctx.site.id)
    .orderBy('name')
    .orderBy('id')
    .limit(mostInOneAnswer)
    .execute()
}

const mostInOneAnswer = 1000

type LockedUniversity = University & { id: number; key: string }

/**
 * Locks institutions of the site, by their uids or the keys of their names, in a fixed order. Those that a transaction
 * needs are locked at once: two that lock one after the other can wait for each other.
 */
export async function lockUniversities(
  ctx: Ctx,
  { uids, keys = [] }: { uids: string[]; keys?: string[] },
): Promise<LockedUniversity[]> {
  const { rows } = await sql<LockedUniversity>`
    select id, uid, name, name_key as key from universities
    where site_id = ${ctx.site.id}
      and (uid = any(${uids.filter(isUid)}::uuid[]) or name_key = any(${keys}::text[]))
    order by id for update`.execute(ctx.db)
  return rows
}

/** Brings an institution back under its uid, or uses the one that has its name now. `users` brings back its people. */
export async function bringBackUniversity(
  ctx: Ctx,
  input: { uid: string; name: string; key: string },
): Promise<University & { id: number }> {
  const { uid, name, key } = input
  return ctx.db
    .insertInto('universities')
    .values({ site_id: ctx.site.id, uid, name, name_key: key, search_key: searchKey(name) })
    .onConflict((oc) =>
      oc.columns(['site_id', 'name_key']).doUpdateSet((eb) => ({ name: eb.ref('universities.name') })),
    )
    .returning(['id', 'uid', 'name'])
    .executeTakeFirstOrThrow()
}

/** Deletes an institution that nobody belongs to any more: users/replace-university moves its people before. */
export async function removeUniversity(ctx: Ctx, input: { universityUid: string }): Promise<void> {
  await ctx.db
    .deleteFrom('universities')
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', input.universityUid)
    .execute()
}

/**
 * Returns the institution with this name and creates it if necessary. The stored spelling stays. Callers decide who may
 * create one.
 */
export async function ensureUniversity(ctx: Ctx, input: { name: string }): Promise<University> {
  const { name } = input
  const known = await findUniversity(ctx, name)
  if (known) return known
  await ctx.db
    .insertInto('universities')
    .values({ site_id: ctx.site.id, name, name_key: caseKey(name), search_key: searchKey(name) })
    .onConflict((oc) => oc.columns(['site_id', 'name_key']).doNothing())
    .execute()
  const made = await findUniversity(ctx, name)
  if (!made) throw new Error('An institution is not there right after it was created')
  return made
}

/** Finds an institution of the site, and keeps it from being deleted until the end of a transaction. */
export async function findUniversityByUid(ctx: Ctx, input: { uid: string }): Promise<University | undefined> {
  return await ctx.db
    .selectFrom('universities')
    .select(['uid', 'name'])
    .where('site_id', '=', ctx.site.id)
    .where('uid', '=', input.uid)
    .forKeyShare()
    .executeTakeFirst()
}

/**
 * Returns the uids of the institutions with these names and creates those that are missing, in two statements. Callers
 * decide who may create one.
 */
export async function ensureUniversities(ctx: Ctx, input: { names: string[] }): Promise<Map<string, string>> {
  const known = await findUniversities(ctx, input.names, { isKept: true })
  // Sorted, so that two imports of the same names wait for each other instead of deadlocking.
  const missing = [...missingIn(input.names, known)].sort()
  if (missing.length === 0) return known
  await ctx.db
    .insertInto('universities')
    .values(missing.map(([key, name]) => ({ site_id: ctx.site.id, name, name_key: key, search_key: searchKey(name) })))
    .onConflict((oc) => oc.columns(['site_id', 'name_key']).doNothing())
    .execute()
  return findUniversities(ctx, input.names, { isKept: true })
}

/** Returns those of these names that `ensureUniversities` would create, each once and in their order. */
export async function listMissingUniversities(ctx: Ctx, input: { names: string[] }): Promise<string[]> {
  const known = await findUniversities(ctx, input.names, { isKept: false })
  return [...missingIn(input.names, known).values()]
}

function missingIn(names: string[], known: Map<string, string>): Map<string, string> {
  return new Map(names.filter((name) => !known.has(name)).map((name) => [caseKey(name), name]))
}

/** `isKept` keeps them from being deleted until the end of a transaction. */
async function findUniversities(
  ctx: Ctx,
  names: string[],
  { isKept }: { isKept: boolean },
): Promise<Map<string, string>> {
  const rows = await ctx.db
    .selectFrom('universities')
    .select(['uid', 'name_key as key'])
    .where('site_id', '=', ctx.site.id)
    .where(sql<boolean>`name_key = any(${names.flatMap(storedKeys)}::text[])`)
    .orderBy('id')
    .$if(isKept, (query) => query.forKeyShare())
    .execute()
  const byKey = new Map(rows.map(({ uid, key }) => [key, uid]))
  return new Map(
    names.flatMap((name) => {
      const uid = storedKeys(name).flatMap((key) => byKey.get(key) ?? [])[0]
      return uid === undefined ? [] : [[name, uid] as const]
    }),
  )
}

/** Finds an institution by its older key first, and keeps it from being deleted until the end of a transaction. */
async function findUniversity(ctx: Ctx, name: string): Promise<University | undefined> {
  return await ctx.db
    .selectFrom('universities')
    .select(['uid', 'name'])
    .where('site_id', '=', ctx.site.id)
    .where('name_key', 'in', storedKeys(name))
    .orderBy((eb) => eb('name_key', '=', caseKey(name)))
    .forKeyShare()
    .executeTakeFirst()
}
