/** What the functions that write terms share: locks, rows and columns. */
import { sql } from 'kysely'
import type { TermValues } from '~/forms/glossary.ts'
import { caseKey, searchKey } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { isSwitchedOn } from '../access/flags.server.ts'
import type { Ctx } from '../context.ts'
import { NotFound } from '../errors.ts'

export type TermRow = TermValues & { id: number; uid: string; slug: string; revision: number; deletedAt: Date | null }

/** Transactions that write terms of the site wait for each other, because they choose free slugs and names. */
export async function lockTerms(ctx: Ctx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`glossary|${ctx.site.id}`}, 0))`.execute(ctx.db)
}

/** Locks the terms of a glossary that is switched on. */
export async function lockGlossary(ctx: Ctx): Promise<void> {
  await lockTerms(ctx)
  await requireGlossary(ctx)
}

/** Throws NotFound if the site has switched its glossary off: nobody could see what was written. */
export async function requireGlossary(ctx: Ctx): Promise<void> {
  const { rows } = await sql`select where ${isSwitchedOn(ctx, 'GLOSSARY')}`.execute(ctx.db)
  if (rows.length === 0) throw new NotFound('The glossary of this site is switched off.', 'glossary.off')
}

/** Finds a term of the site, even if it was removed. */
export async function findTermRow(ctx: Ctx, termUid: string): Promise<TermRow | undefined> {
  if (!isUid(termUid)) return undefined
  return await selectTermRows(ctx).where('uid', '=', termUid).executeTakeFirst()
}

export function selectTermRows(ctx: Ctx) {
  return ctx.db
    .selectFrom('glossary_terms')
    .select(['id', 'uid', 'slug', 'name', 'definition', 'revision', 'deleted_at as deletedAt'])
    .where('site_id', '=', ctx.site.id)
}

export function toTerm({ uid, slug, name, definition }: Pick<TermRow, 'uid' | 'slug' | 'name' | 'definition'>) {
  return { uid, slug, name, definition }
}

/** Returns all used slugs, including those of removed terms, so that a slug never leads to another term. */
export async function takenSlugs(ctx: Ctx): Promise<Set<string>> {
  const rows = await ctx.db.selectFrom('glossary_terms').select('slug').where('site_id', '=', ctx.site.id).execute()
  return new Set(rows.map(({ slug }) => slug))
}

/** The columns that follow from a term's texts. */
export function textColumns({ name, definition }: TermValues) {
  return { name, name_key: caseKey(name), search_key: searchKey(name), definition }
}
