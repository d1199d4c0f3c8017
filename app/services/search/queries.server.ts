/** SQL that finds search documents: by words, by tag and by similar spelling. Ids stay inside this folder. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { itemsPerPage } from '~/lib/list-page.ts'
import type { SearchType } from '~/lib/search-query.ts'
import { beginningsOf, fold, sameQuery, sameWords } from '~/lib/search-words.ts'
import { searchKey, storedKeys } from '~/lib/text.ts'
import { isListed, isOpenable } from '../access/access.server.ts'
import { isSwitchedOn } from '../access/flags.server.ts'
import { joins } from '../access/parts.server.ts'
import type { Ctx } from '../context.ts'
import type { SearchKind } from './documents.server.ts'

/** Twenty pages. */
export const mostMatches = 20 * itemsPerPage

export type Match = {
  kind: SearchKind
  uid: string
  /** Only for glossary terms. */
  slug: string | null
  title: string
  isComingSoon: boolean
  /** False for drafts, which only staff find, and for Coming Soon items, which nobody can open. */
  isOpenable: boolean
  step: string | null
  phase: string | null
  siteId: number
  entityId: number
}

type Found = { rows: Match[]; total: number }
type SearchRequest = {
  query: string
  type: SearchType
  limit: number
  offset?: number
  titlesOnly?: boolean
  canOpen?: boolean
}

/**
 * The most documents to rank: first those whose title equals or begins with the query, then matches in titles and
 * descriptions, then matches in whole texts.
 */
const mostRanked = 800

/**
 * The best match is the title that equals the query, then come titles with its words, then other texts. Content comes
 * before glossary terms that match equally well, because there is more to learn from it, and before Coming Soon items,
 * which cannot be opened.
 */
export async function findByWords(ctx: Ctx, request: SearchRequest): Promise<Found> {
  const key = keyOf(request.query)
  const beginning = `${key.replace(/[\\%_]/g, '\\$&')}%`
  const wanted = wantedWords(request.query, request.titlesOnly ?? false)
  const matches = (column: 'head_tsv' | 'tsv', more = sql`true`) => sql`
    select site_id, kind, entity_id, title, search_key, head_tsv, ${sql.ref(column)} as vector
    from wanted, search_documents document
    where site_id = ${ctx.site.id} and ${sql.ref(column)} @@ wanted.words and ${isOfType(request.type)} and ${more}`
  const inOrder = [
    matches('head_tsv', sql`search_key = ${key}`),
    matches('head_tsv', sql`search_key like ${beginning}`),
    matches('head_tsv'),
    ...(request.titlesOnly ? [] : [matches('tsv')]),
  ]
  return select(ctx, request, {
    found: sql`
      select site_id, kind, entity_id, title, max(rank) as rank from (
        select document.site_id, document.kind, document.entity_id, document.title,
          ts_rank('{0.05, 0.15, 0.4, 1}', document.vector, wanted.words, 1)
            + case when document.search_key = ${key} then 8 when starts_with(document.search_key, ${key}) then 1 else 0 end
            + case when not ts_filter(document.head_tsv, '{a}') @@ wanted.words then 0
                when document.kind = 'glossary' then 1 else 3 end
            - case when ${isComingSoon} then 1 else 0 end as rank
        from (${sql.join(inOrder, sql` union all `)}) document, wanted
        where ${isSeen(ctx, request)}
        limit ${sql.lit(mostRanked)}) candidate
      group by site_id, kind, entity_id, title`,
    wanted,
  })
}

const kindsWithTags = ['module', 'course', 'lecture', 'video'] as const

/** What can be opened comes first, then modules before courses and so on. */
export async function findByTag(ctx: Ctx, request: SearchRequest): Promise<Found> {
  const tagged = kindsWithTags.map((kind, index) => {
    const { tags, column } = joins[`${kind}s`]
    return sql`
      select document.site_id, document.kind, document.entity_id, document.title,
        ${sql.lit(-index)} - case when ${isComingSoon} then ${sql.lit(kindsWithTags.length)} else 0 end as rank
      from tags
      join ${sql.table(tags)} own on own.tag_id = tags.id
      join search_documents document
        on document.site_id = tags.site_id and document.kind = ${kind} and document.entity_id = own.${sql.ref(column)}
      where tags.site_id = ${ctx.site.id} and tags.text_key = any(${storedKeys(request.query)}::text[])
        and ${isOfType(request.type)} and ${isSeen(ctx, request)}`
  })
  return select(ctx, request, { found: sql.join(tagged, sql` union `) })
}

const isComingSoon = sql`case document.kind
  when 'module' then (select modules.coming_soon from modules where modules.id = document.entity_id)
  when 'lecture' then (select lectures.coming_soon from lectures where lectures.id = document.entity_id)
  else false end`

/** What a title is compared with. */
function keyOf(query: string): string {
  return searchKey(sameWords(query))
}

/** Parses full words as people write them ("quoted", or, -not), or with the last word as a beginning. */
function wantedWords(query: string, titlesOnly: boolean): RawBuilder<unknown> {
  const text = readable(query)
  if (titlesOnly) {
    const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
    return sql`to_tsquery('simple', ${words.map((word) => `(${anyBeginning(word, ':*A')})`).join(' & ')})`
  }
  const whole = sql`websearch_to_tsquery('english', ${sameQuery(text)})`
  const last = /(?:^|[^-\p{L}\p{N}"]|\p{L}-)([\p{L}\p{N}]+)$/u.exec(text)?.[1]
  if (last === undefined || last.length < 2) return whole
  const before = sameQuery(text.slice(0, text.length - last.length))
  return sql`(${whole} || (websearch_to_tsquery('english', ${before}) && to_tsquery('simple', ${anyBeginning(last, ':*')})))`
}

function anyBeginning(word: string, suffix: string): string {
  return beginningsOf(word)
    .map((beginning) => `${beginning}${suffix}`)
    .join(' | ')
}

/**
 * Folds a query and keeps only minus signs that exclude a word or a phrase. PostgreSQL keeps the others until a word
 * comes, and gives up after 32 of them.
 */
export function readable(query: string): string {
  return fold(query).replace(/-(?![\p{L}\p{N}"])/gu, ' ')
}

const mostSimilar = 200

/**
 * Finds titles similar to the whole query or to one of its words; titles similar to most words come first. Swapping two
 * letters of a short word makes it very dissimilar, so all swaps of neighboring letters are tried, too. The similarity
 * threshold is a setting of the connection (db/client.server.ts).
 */
export async function findBySpelling(ctx: Ctx, request: SearchRequest): Promise<Found> {
  const key = keyOf(request.query)
  if ([...key].length < 4) return { rows: [], total: 0 }
  const words = [...new Set(key.match(/[\p{L}\p{N}]{4,}/gu) ?? [])].slice(0, mostWords)
  const swapped = swappedWords(words)
  const hasSwapped = swapped ? sql`document.head_tsv @@ to_tsquery('simple', ${swapped})` : sql`false`
  const matches = (isLike: RawBuilder<unknown>) => sql`
    select site_id, kind, entity_id, title, search_key, head_tsv from search_documents document
    where site_id = ${ctx.site.id} and ${isLike} and ${isOfType(request.type)}`
  // Searches each word separately, but not while somebody types, because that takes one search per word. Several words
  // together are similar to hardly any title and cost the most.
  const parts = request.titlesOnly || words.length < 2 ? [key] : words
  const inOrder = [
    ...parts.map((part) => matches(sql`${part} <% search_key`)),
    ...(swapped ? [matches(hasSwapped)] : []),
  ]
  const likeness = words.map((word) => sql`word_similarity(${word}, document.search_key)`)
  return select(ctx, request, {
    found: sql`
      select document.site_id, document.kind, document.entity_id, document.title,
        max(word_similarity(${key}, document.search_key) + similarity(${key}, document.search_key)
          + (${sql.join([sql`0`, ...likeness], sql` + `)}) / ${sql.lit(Math.max(words.length, 1))}
          + case when ${hasSwapped} then 1 else 0 end) as rank
      from (
        select document.* from (${sql.join(inOrder, sql` union all `)}) document
        where ${isSeen(ctx, request)} limit ${sql.lit(mostSimilar)}) document
      group by document.site_id, document.kind, document.entity_id, document.title`,
  })
}

const mostWords = 4

/** Returns the words with each pair of neighboring letters swapped. Long words are similar enough without that. */
function swappedWords(words: string[]): string {
  const orders = words.flatMap((word) => {
    const letters = [...word]
    if (letters.length > 8) return []
    return letters
      .slice(1)
      .map((letter, at) => [...letters.slice(0, at), letter, letters[at], ...letters.slice(at + 2)].join(''))
      .filter((order) => order !== word)
  })
  return orders.map((order) => `${order}:*A`).join(' | ')
}

function isOfType(type: SearchType): RawBuilder<SqlBool> {
  return type === 'all' ? sql`true` : sql`document.kind = ${type}`
}

/**
 * Filters documents before the best are chosen, so that documents that the viewer may not see do not displace others.
 */
function isSeen(ctx: Ctx, { canOpen }: SearchRequest): RawBuilder<SqlBool> {
  const isAllowed = canOpen ? isOpenable : isListed
  const among = (kind: 'courses' | 'modules' | 'videos' | 'lectures') => sql`exists (
    select from ${sql.table(kind)} where ${sql.ref(`${kind}.id`)} = document.entity_id and ${isAllowed(ctx, kind)})`
  return sql<SqlBool>`case document.kind
    when 'course' then ${among('courses')}
    when 'module' then ${among('modules')}
    when 'video' then ${among('videos')}
    when 'lecture' then ${among('lectures')}
    else ${isSwitchedOn(ctx, 'GLOSSARY')} and exists (
      select from glossary_terms where glossary_terms.id = document.entity_id and glossary_terms.deleted_at is null) end`
}

/** Selects a page of the best matches and joins the columns to show. */
async function select(
  ctx: Ctx,
  request: SearchRequest,
  parts: { found: RawBuilder<unknown>; wanted?: RawBuilder<unknown> },
): Promise<Found> {
  // 'T' means that the query only excludes words. It would have to read every document, so it finds nothing.
  const wanted = parts.wanted
    ? sql`wanted as materialized (select words from (select ${parts.wanted} as words) typed where querytree(words) <> 'T'),`
    : sql``
  const { rows } = await sql<Match & { total: number }>`
    with ${wanted} found as (${parts.found}),
    page as materialized (
      select found.*, least(count(*) over (), ${mostMatches})::int as total from found
      order by rank desc, title, kind, entity_id limit ${request.limit} offset ${request.offset ?? 0})
    select page.kind, page.title, page.site_id as "siteId", page.entity_id as "entityId", page.total,
      coalesce(courses.uid, modules.uid, videos.uid, lectures.uid, glossary_terms.uid) as uid, glossary_terms.slug,
      coalesce(modules.coming_soon, lectures.coming_soon, false) as "isComingSoon",
      case page.kind when 'course' then ${isOpenable(ctx, 'courses')} when 'module' then ${isOpenable(ctx, 'modules')}
        when 'video' then ${isOpenable(ctx, 'videos')} when 'lecture' then ${isOpenable(ctx, 'lectures')} else true end as "isOpenable",
      chapters.name as step, coalesce(sections.frontend_id, videos.phases[1]) as phase
    from page
    left join courses on page.kind = 'course' and courses.id = page.entity_id
    left join modules on page.kind = 'module' and modules.id = page.entity_id
    left join videos on page.kind = 'video' and videos.id = page.entity_id
    left join lectures on page.kind = 'lecture' and lectures.id = page.entity_id
    left join glossary_terms on page.kind = 'glossary' and glossary_terms.id = page.entity_id
    left join module_chapters on module_chapters.module_id = modules.id
    left join lecture_chapters on lecture_chapters.lecture_id = lectures.id
    left join chapters on chapters.id = coalesce(module_chapters.chapter_id, lecture_chapters.chapter_id)
    left join sections on sections.id = chapters.section_id
    order by page.rank desc, page.title, page.kind, page.entity_id`.execute(ctx.db)
  return { rows: rows.map(({ total: _, ...row }) => row), total: rows[0]?.total ?? 0 }
}
