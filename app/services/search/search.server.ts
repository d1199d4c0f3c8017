/**
 * Search: PostgreSQL full-text search over the search documents. It also matches the beginning of the last word and, if
 * nothing contains the words, titles with a similar spelling. Visibility is checked with the same SQL fragments as in
 * lists, so that search does not reveal more than they do.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import { itemsPerPage } from '~/lib/list-page.ts'
import { cleanQuery, type SearchType, searchTypeOf } from '~/lib/search-query.ts'
import { beginningsOf, fold, otherForms, sameQuery, sameWords } from '~/lib/search-words.ts'
import { searchKey, storedKeys } from '~/lib/text.ts'
import { isListed, isOpenable } from '../access/access.server.ts'
import { isSwitchedOn } from '../access/flags.server.ts'
import { joins } from '../access/parts.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { Unavailable } from '../errors.ts'
import { countAttempts } from '../limits/limits.server.ts'
import type { SearchKind } from './documents.server.ts'

export type SearchHit = {
  kind: SearchKind
  uid: string
  /** Only for glossary terms. */
  slug: string | null
  title: string
  /** Parts of the text around the words found. `isFound` marks those words. */
  excerpt: { text: string; isFound: boolean }[]
  isComingSoon: boolean
  /** False for drafts, which only staff find, and for Coming Soon items, which nobody can open. */
  isOpenable: boolean
  step: string | null
  phase: string | null
}

export type SearchResults = {
  query: string
  type: SearchType
  hits: SearchHit[]
  /** At most `mostHits`. */
  total: number
  page: number
  size: number
  /** True if no document contains the words, and these are titles with a similar spelling. */
  isSimilar: boolean
  /** How many documents of other types contain the words, if none of this type does. */
  elsewhere: number
}

/** Twenty pages. */
const mostHits = 20 * itemsPerPage
const mostSuggestions = 8

/** Returns a page of hits that the viewer may see, best first. An empty query finds nothing. */
export async function searchContent(
  ctx: Ctx,
  input: { query: string; type?: string | null; page?: number },
): Promise<SearchResults> {
  requireViewer(ctx)
  const query = cleanQuery(input.query)
  const type = searchTypeOf(input.type)
  const page = pageOf(input.page)
  const none = { query, type, hits: [], total: 0, page, size: itemsPerPage, isSimilar: false, elsewhere: 0 }
  if (query === '') return none
  await limit(ctx)
  const offset = (page - 1) * itemsPerPage
  const found = await findByWords(ctx, { query, type, limit: itemsPerPage, offset })
  if (found.total > 0) return { ...none, ...found, hits: await describe(ctx, found.rows, query) }
  // A page beyond the end is empty but still has the total of the list.
  if (page > 1) return { ...none, total: (await findByWords(ctx, { query, type, limit: 1 })).total }
  const elsewhere = type === 'all' ? 0 : (await findByWords(ctx, { query, type: 'all', limit: 1 })).total
  const similar = await findBySpelling(ctx, { query, type, limit: itemsPerPage })
  const hits = await describe(ctx, similar.rows, query)
  return { ...none, ...similar, hits, isSimilar: similar.total > 0, elsewhere }
}

/** Returns a page of what carries this tag and the viewer may see, as a search does: modules first, then by title. */
export async function listTagged(
  ctx: Ctx,
  input: { tag: string; type?: string | null; page?: number },
): Promise<SearchResults> {
  requireViewer(ctx)
  const query = cleanQuery(input.tag)
  const type = searchTypeOf(input.type)
  const page = pageOf(input.page)
  await limit(ctx)
  const request = { query, type, limit: itemsPerPage, offset: (page - 1) * itemsPerPage }
  const found = await findByTag(ctx, request)
  const { total } = found.total === 0 && page > 1 ? await findByTag(ctx, { ...request, offset: 0 }) : found
  const hits = await describe(ctx, found.rows, query)
  return { query, type, hits, total, page, size: itemsPerPage, isSimilar: false, elsewhere: 0 }
}

/** Returns the nearest possible page; anything but a number gives the first page. */
function pageOf(page = 1): number {
  return Math.min(Math.max(Math.trunc(page) || 1, 1), mostHits / itemsPerPage)
}

export type Suggestion = Pick<SearchHit, 'kind' | 'uid' | 'slug' | 'title'>

/**
 * Suggests titles while somebody types: at most eight that can be opened, of the given type or, if it has none, of all
 * types.
 */
export async function suggestContent(ctx: Ctx, input: { query: string; type?: string | null }): Promise<Suggestion[]> {
  requireViewer(ctx)
  const query = cleanQuery(input.query)
  const type = searchTypeOf(input.type)
  if ([...query].length < 2) return []
  await limit(ctx)
  const request = { query, type, limit: mostSuggestions, titlesOnly: true, canOpen: true }
  const types: SearchType[] = type === 'all' ? ['all'] : [type, 'all']
  for (const find of [findByWords, findBySpelling]) {
    for (const type of types) {
      const { rows } = await find(ctx, { ...request, type })
      if (rows.length > 0) return rows.map(({ kind, uid, slug, title }) => ({ kind, uid, slug, title }))
    }
  }
  return []
}

async function limit(ctx: Ctx): Promise<void> {
  const [count = 0] = await countAttempts(ctx, [`search:${requireViewer(ctx).uid}`], 60)
  if (count > env().SEARCHES_PER_MINUTE) {
    throw new Unavailable('You are searching very fast. Please wait a minute and try again.', 60)
  }
}

type Row = Omit<SearchHit, 'excerpt'> & { siteId: number; entityId: number }
type Found = { rows: Row[]; total: number }
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
 * before glossary terms that match equally well, because there is more to learn from it.
 */
async function findByWords(ctx: Ctx, request: SearchRequest): Promise<Found> {
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
                when document.kind = 'glossary' then 1 else 3 end as rank
        from (${sql.join(inOrder, sql` union all `)}) document, wanted
        where ${isSeen(ctx, request)}
        limit ${sql.lit(mostRanked)}) candidate
      group by site_id, kind, entity_id, title`,
    wanted,
  })
}

async function findByTag(ctx: Ctx, request: SearchRequest): Promise<Found> {
  const tagged = (['module', 'course', 'lecture', 'video'] as const).map((kind, index) => {
    const { tags, column } = joins[`${kind}s`]
    return sql`
      select document.site_id, document.kind, document.entity_id, document.title, ${sql.lit(-index)} as rank
      from tags
      join ${sql.table(tags)} own on own.tag_id = tags.id
      join search_documents document
        on document.site_id = tags.site_id and document.kind = ${kind} and document.entity_id = own.${sql.ref(column)}
      where tags.site_id = ${ctx.site.id} and tags.text_key = any(${storedKeys(request.query)}::text[])
        and ${isOfType(request.type)} and ${isSeen(ctx, request)}`
  })
  return select(ctx, request, { found: sql.join(tagged, sql` union `) })
}

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
function readable(query: string): string {
  return fold(query).replace(/-(?![\p{L}\p{N}"])/gu, ' ')
}

const mostSimilar = 200

/**
 * Finds titles similar to the whole query or to one of its words; titles similar to most words come first. Swapping two
 * letters of a short word makes it very dissimilar, so all swaps of neighboring letters are tried, too. The similarity
 * threshold is a setting of the connection (db/client.server.ts).
 */
async function findBySpelling(ctx: Ctx, request: SearchRequest): Promise<Found> {
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
  const { rows } = await sql<Row & { total: number }>`
    with ${wanted} found as (${parts.found}),
    page as materialized (
      select found.*, least(count(*) over (), ${mostHits})::int as total from found
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

/**
 * Markers around found words: control characters, which no text contains here. The component marks these words, never
 * as HTML.
 */
const begin = '\u0002'
const end = '\u0003'
const windowSize = 2000
/** Shorter texts are shown completely. */
const shortText = 260
/** How many characters are compared to find out whether an excerpt begins and ends where the text does. */
const edge = 12

type Excerpt = { text: string; head: string; tail: string }

/** Adds excerpts. For a long text, only the part around the first word is examined. */
async function describe(ctx: Ctx, rows: Row[], query: string): Promise<SearchHit[]> {
  if (rows.length === 0) return []
  const text = readable(query)
  const forms = otherForms(text).filter(Boolean)
  const stems = (
    [text, ...forms]
      .join(' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}]{3,}/gu) ?? []
  ).map((word) => word.slice(0, Math.max(4, word.length - 3)))
  const last = /[\p{L}\p{N}]+$/u.exec(text)?.[0]
  const words = sql.join(
    [
      sql`websearch_to_tsquery('english', ${text})`,
      ...forms.map((form) => sql`phraseto_tsquery('english', ${form})`),
      ...(last === undefined ? [] : [sql`to_tsquery('simple', ${`${last}:*`})`]),
    ],
    sql` || `,
  )
  const marks = `StartSel=${begin}, StopSel=${end}`
  const parts = `${marks}, MaxFragments=2, MaxWords=28, MinWords=12, FragmentDelimiter=" … "`
  const { rows: excerpts } = await sql<{ kind: string; entityId: number } & Excerpt>`
    select document.kind, document.entity_id as "entityId",
      ts_headline('english', translate(around.text, ${begin + end}, ''), ${words},
        case when length(document.body) <= ${shortText} then ${`${marks}, HighlightAll=true`} else ${parts} end) as text,
      left(btrim(document.body), ${edge}) as head, right(btrim(document.body), ${edge}) as tail
    from search_documents document
    join jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as hit (kind text, "siteId" bigint, "entityId" bigint)
      on hit."siteId" = document.site_id and hit.kind = document.kind and hit."entityId" = document.entity_id
    cross join lateral (
      select min(nullif(strpos(lower(document.body), stem), 0)) as place from unnest(${stems}::text[]) stem) first
    cross join lateral (
      select substr(document.body, greatest(1, coalesce(first.place, 1) - 300), ${windowSize}) as text) around`.execute(
    ctx.db,
  )
  const byKey = new Map(excerpts.map((excerpt) => [`${excerpt.kind} ${excerpt.entityId}`, excerpt]))
  return rows.map(({ siteId: _, entityId, ...row }) => ({
    ...row,
    excerpt: partsOf(excerptOf(byKey.get(`${row.kind} ${entityId}`) ?? { text: '', head: '', tail: '' }, row.title)),
  }))
}

function excerptOf({ text, head, tail }: Excerpt, title: string): string {
  const plain = withoutMarks(text)
  const lines = joinLines(text, title)
  if (lines === '') return ''
  return `${plain.startsWith(head) ? '' : '… '}${lines}${plain.endsWith(tail) ? '' : ' …'}`
}

function withoutMarks(text: string): string {
  return text.replaceAll(begin, '').replaceAll(end, '').trim()
}

/** Joins lines, with a dash after a heading. Leaves out a line that repeats the title or the previous line. */
function joinLines(text: string, title: string): string {
  let joined = ''
  const heading = title.toLowerCase()
  let last = heading
  for (const line of text.split('\n')) {
    const plain = withoutMarks(line)
    if (plain === '' || plain.toLowerCase() === last || plain.toLowerCase() === heading) continue
    const isNewSentence = joined !== '' && /^[\p{Lu}\p{N}]/u.test(plain) && !/[.!?:;,…–—]$/u.test(withoutMarks(joined))
    joined += `${isNewSentence ? ' – ' : ' '}${line.trim()}`
    last = plain.toLowerCase()
  }
  return joined.trim()
}

function partsOf(excerpt: string): SearchHit['excerpt'] {
  return excerpt
    .replace(/\s+/g, ' ')
    .split(begin)
    .flatMap((piece, index) => {
      if (index === 0) return [{ text: piece, isFound: false }]
      const [found = '', ...rest] = piece.split(end)
      return [
        { text: found, isFound: true },
        { text: rest.join(''), isFound: false },
      ]
    })
    .filter(({ text }) => text !== '')
}
