/**
 * The glossary of a site: terms with short definitions, for everybody, signed in or not. A renamed term keeps its slug,
 * so that published links stay valid, and no other term ever gets the slug, even after the term is deleted. If the site
 * has switched the glossary off, lists are empty and the page does not exist.
 */
import { sql } from 'kysely'
import type { z } from 'zod'
import { glossaryTermForm } from '~/forms/glossary.ts'
import { type Page, pageByName } from '~/lib/cursor.ts'
import { spellingsOf } from '~/lib/search-words.ts'
import { freeSlug, slugOf } from '~/lib/slugs.ts'
import { caseKey, isStorable, normalizeText, searchKey, storedKeys } from '~/lib/text.ts'
import { isUid } from '~/lib/uid.ts'
import { inTransaction } from '~db/transaction.server.ts'
import { isSwitchedOn } from '../access/flags.server.ts'
import { recordAudit } from '../audit/audit.server.ts'
import { type Ctx, requireAdmin } from '../context.ts'
import { NotFound } from '../errors.ts'
import { parseInput } from '../input.ts'
import { type PageInput, parsePage } from '../paging.ts'
import { queueIndexing } from '../search/documents.server.ts'
import { isFoundWhere, searchKeyOf } from '../search-conditions.server.ts'
import { lockTerms, takenSlugs, textColumns, toTerm } from './queries.server.ts'

export type GlossaryTerm = { uid: string; slug: string; name: string; definition: string }
export type GlossarySettings = { headline: string; description: string }

/** Terms that begin with a digit or in another script are listed under `#`. */
const letterOf = sql<string>`case when search_key ~ '^[a-z]' then upper(left(search_key, 1)) else '#' end`

function selectTerms(ctx: Ctx) {
  return ctx.db
    .selectFrom('glossary_terms')
    .select(['glossary_terms.id', 'glossary_terms.uid', 'glossary_terms.slug', 'glossary_terms.name'])
    .select('glossary_terms.definition')
    .where('glossary_terms.site_id', '=', ctx.site.id)
    .where('glossary_terms.deleted_at', 'is', null)
    .where(isSwitchedOn(ctx, 'GLOSSARY'))
}

export async function getGlossarySettings(ctx: Ctx): Promise<GlossarySettings> {
  const row = await ctx.db
    .selectFrom('glossary_settings')
    .select(['headline', 'description'])
    .where('site_id', '=', ctx.site.id)
    .executeTakeFirst()
  return row ?? { headline: '', description: '' }
}

/** Lists terms by name. */
export async function listGlossaryTerms(ctx: Ctx, input: PageInput = {}): Promise<Page<GlossaryTerm>> {
  const page = parsePage('glossary', input)
  const { first, after } = page
  let query = selectTerms(ctx)
    .orderBy('name')
    .orderBy('id')
    .limit(first + 1)
  if (after) query = query.where(sql<boolean>`(name, id) > (${after.name}, ${after.id})`)
  return pageByName(page, await query.execute(), toTerm)
}

export async function countGlossaryTerms(ctx: Ctx): Promise<number> {
  const row = await selectTerms(ctx)
    .clearSelect()
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return row.count
}

export async function getGlossaryTerm(ctx: Ctx, input: { termUid: string }): Promise<GlossaryTerm> {
  const row = isUid(input.termUid) ? await selectTerms(ctx).where('uid', '=', input.termUid).executeTakeFirst() : null
  if (!row) throw new NotFound()
  return toTerm(row)
}

type GlossaryPage = GlossarySettings & {
  /** The letters that have terms, in order. */
  letters: { letter: string; total: number }[]
  terms: (GlossaryTerm & { letter: string })[]
  /** The number of terms in the search, the letter or the whole list. */
  total: number
  page: number
  size: number
  /** The term with the requested slug, if there is one. */
  selected: GlossaryTerm | null
}

const glossaryPageSize = 100

/**
 * Returns a page of a search, of a letter, or of the whole list. With a slug it returns the page of the whole list that
 * contains the term; for an unknown slug there is no selected term. Throws NotFound if the glossary is switched off.
 */
export async function getGlossaryPage(
  ctx: Ctx,
  input: { slug?: string; letter?: string | null; search?: string | null; page?: number },
): Promise<GlossaryPage> {
  const [settings, letters] = await Promise.all([findSettings(ctx), listLetters(ctx)])
  if (!settings) throw new NotFound()
  const selected = input.slug === undefined ? undefined : await findTermBySlug(ctx, input.slug)
  const page = selected ? Math.floor(selected.before / glossaryPageSize) + 1 : (input.page ?? 1)
  const search = searchKey(cleanSearch(input.search ?? ''))
  const letter = letters.find((entry) => entry.letter === input.letter?.toUpperCase())
  let query = selectTerms(ctx)
    .select(letterOf.as('letter'))
    .select(sql<number>`count(*) over ()::int`.as('total'))
    .orderBy('name')
    .orderBy('id')
    .limit(glossaryPageSize)
    .offset((page - 1) * glossaryPageSize)
  if (search) query = query.where(matches(search))
  else if (letter) query = query.where(sql<boolean>`${letterOf} = ${letter.letter}`)
  const rows = await query.execute()
  return {
    ...settings,
    letters,
    terms: rows.map((row) => ({ ...toTerm(row), letter: row.letter })),
    total: rows[0]?.total ?? 0,
    page,
    size: glossaryPageSize,
    selected: selected ? toTerm(selected) : null,
  }
}

function cleanSearch(text: string): string {
  return isStorable(text) ? [...normalizeText(text)].slice(0, 100).join('') : ''
}

/**
 * Searches names and definitions as the tables do, in both spellings. One word may be in the name and another in the
 * definition. With `offset 0` the key of a definition is computed once, and not for each word.
 */
function matches(search: string) {
  const spelled = spellingsOf(search).map((spelling) =>
    isFoundWhere(spelling, (holds) => sql`(${holds(sql`search_key`)} or ${holds(sql`defined.key`)})`),
  )
  return sql<boolean>`exists (
    select from (select ${searchKeyOf(sql`definition`)} as key offset 0) defined where ${sql.join(spelled, sql` or `)})`
}

/** Returns undefined if the glossary is switched off. */
async function findSettings(ctx: Ctx): Promise<GlossarySettings | undefined> {
  const { rows } = await sql<GlossarySettings>`
    select coalesce(headline, '') as headline, coalesce(description, '') as description
    from sites left join glossary_settings on glossary_settings.site_id = sites.id
    where sites.id = ${ctx.site.id} and ${isSwitchedOn(ctx, 'GLOSSARY')}`.execute(ctx.db)
  return rows[0]
}

async function listLetters(ctx: Ctx): Promise<{ letter: string; total: number }[]> {
  return await selectTerms(ctx)
    .clearSelect()
    .select([letterOf.as('letter'), sql<number>`count(*)::int`.as('total')])
    .groupBy(letterOf)
    .orderBy(letterOf)
    .execute()
}

async function findTermBySlug(ctx: Ctx, slug: string): Promise<(GlossaryTerm & { before: number }) | undefined> {
  if (!isStorable(slug)) return undefined
  return await selectTerms(ctx)
    .select(
      sql<number>`(
        select count(*) from glossary_terms other
        where other.site_id = glossary_terms.site_id and other.deleted_at is null
          and (other.name, other.id) < (glossary_terms.name, glossary_terms.id))`.as('before'),
    )
    .where('slug', '=', slug.toLowerCase())
    .executeTakeFirst()
}

type NewGlossaryTerm = z.input<typeof glossaryTermForm>

/**
 * Creates many terms at once, for admins. Terms that the site already has, compared without case, stay as they are.
 * Returns how many were created.
 */
export async function createGlossaryTerms(ctx: Ctx, input: { terms: NewGlossaryTerm[] }): Promise<number> {
  requireAdmin(ctx, 'write')
  const wanted = new Map(
    input.terms.map((term) => {
      const values = parseInput(glossaryTermForm, term)
      return [caseKey(values.name), values]
    }),
  )
  if (wanted.size === 0) return 0
  return inTransaction(ctx, async (ctx) => {
    await lockTerms(ctx)
    const taken = await takenSlugs(ctx)
    const known = await knownKeys(ctx, [...wanted.values()])
    const fresh = [...wanted.values()].filter(({ name }) => !storedKeys(name).some((key) => known.has(key)))
    if (fresh.length === 0) return 0
    const rows = fresh.map((values) => {
      const slug = freeSlug(slugOf(values.name, 'term'), taken)
      taken.add(slug)
      return { site_id: ctx.site.id, slug, ...textColumns(values) }
    })
    const created = await ctx.db
      .insertInto('glossary_terms')
      .values(rows)
      .onConflict((oc) => oc.columns(['site_id', 'name_key']).where('deleted_at', 'is', null).doNothing())
      .returning(['uid', 'name', 'definition', 'slug'])
      .execute()
    if (created.length === 0) return 0
    // As for a single term: the first revision of each.
    await recordAudit(
      ctx,
      ...created.map(({ uid, ...after }) => ({
        action: 'glossary_term.created',
        entity: 'glossary_term',
        entityUid: uid,
        after: { ...after, revision: 0 },
      })),
    )
    await queueIndexing(ctx, { kind: 'glossary', uids: created.map(({ uid }) => uid) })
    return created.length
  })
}

/** Returns the keys under which the site has these terms. */
async function knownKeys(ctx: Ctx, terms: { name: string }[]): Promise<Set<string>> {
  const keys = terms.flatMap(({ name }) => storedKeys(name))
  const rows = await ctx.db
    .selectFrom('glossary_terms')
    .select('name_key as key')
    .where('site_id', '=', ctx.site.id)
    .where('name_key', 'in', keys)
    .where('deleted_at', 'is', null)
    .execute()
  return new Set(rows.map(({ key }) => key))
}
