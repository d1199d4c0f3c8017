/**
 * Search: PostgreSQL full text over the search documents, with the beginning of the last word and, where that finds little, with titles that are
 * spelled alike. What a viewer may see is joined here, by the same fragments as in lists, so that nothing that was found says more than they do.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { env } from '~/config/env.server.ts'
import { cleanQuery, type SearchType, searchTypeOf } from '~/lib/search-query.ts'
import { searchKey } from '~/lib/text.ts'
import { isListed, isOpenable } from '../access/access.server.ts'
import { isSwitchedOn } from '../access/flags.server.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { Unavailable } from '../errors.ts'
import { countAttempts } from '../limits/limits.server.ts'
import { fold, type SearchKind } from './documents.server.ts'

export type SearchHit = {
  kind: SearchKind
  uid: string
  /** Of a term of the glossary; null for everything else. */
  slug: string | null
  title: string
  /** Parts of the text around what was found; those that were found are marked. */
  excerpt: { text: string; isFound: boolean }[]
  isComingSoon: boolean
  /** Staff also find drafts, and what is Coming Soon cannot be opened by anybody. */
  isOpenable: boolean
  step: string | null
  phase: string | null
}

export type SearchResults = {
  query: string
  type: SearchType
  hits: SearchHit[]
  /** Never more than `mostHits`. */
  total: number
  page: number
  size: number
  /** Nothing holds the words: these are titles that are spelled alike. */
  isSimilar: boolean
}

export const searchPageSize = 20
export const mostHits = 500
const mostSuggestions = 8

/** One page of what the viewer may see, best first. An empty query finds nothing. */
export async function searchContent(
  ctx: Ctx,
  input: { query: string; type?: string | null; page?: number },
): Promise<SearchResults> {
  requireViewer(ctx)
  const query = cleanQuery(input.query)
  const type = searchTypeOf(input.type)
  const page = pageOf(input.page)
  const none = { query, type, hits: [], total: 0, page, size: searchPageSize, isSimilar: false }
  if (query === '') return none
  await limit(ctx)
  const offset = (page - 1) * searchPageSize
  const found = await findByWords(ctx, { query, type, limit: searchPageSize, offset })
  if (found.total > 0 || page > 1) return { ...none, ...found, hits: await describe(ctx, found.rows, query) }
  const similar = await findBySpelling(ctx, { query, type, limit: searchPageSize })
  return { ...none, ...similar, hits: await describe(ctx, similar.rows, query), isSimilar: similar.total > 0 }
}

/** The nearest that there can be; what is no number is the first. */
function pageOf(page = 1): number {
  return Math.min(Math.max(Math.trunc(page) || 1, 1), mostHits / searchPageSize)
}

export type Suggestion = Pick<SearchHit, 'kind' | 'uid' | 'slug' | 'title'>

/** Titles for what is being typed, at most eight that can be opened. */
export async function suggestContent(ctx: Ctx, input: { query: string; type?: string | null }): Promise<Suggestion[]> {
  requireViewer(ctx)
  const query = cleanQuery(input.query)
  const type = searchTypeOf(input.type)
  if ([...query].length < 2) return []
  await limit(ctx)
  const asked = { query, type, limit: mostSuggestions, titlesOnly: true, canOpen: true }
  const found = await findByWords(ctx, { ...asked, offset: 0 })
  const { rows } = found.total > 0 ? found : await findBySpelling(ctx, asked)
  return rows.map(({ kind, uid, slug, title }) => ({ kind, uid, slug, title }))
}

async function limit(ctx: Ctx): Promise<void> {
  const [count = 0] = await countAttempts(ctx, [`search:${requireViewer(ctx).uid}`], 60)
  if (count > env().SEARCHES_PER_MINUTE) {
    throw new Unavailable('You are searching very fast. Please wait a minute and try again.', 60)
  }
}

type Row = Omit<SearchHit, 'excerpt'> & { siteId: number; entityId: number }
type Found = { rows: Row[]; total: number }
type Asked = {
  query: string
  type: SearchType
  limit: number
  offset?: number
  titlesOnly?: boolean
  canOpen?: boolean
}

/** So many are ranked at most: those whose title is what was typed or begins with it, then titles and descriptions, then whole texts. */
const mostRanked = 800

async function findByWords(ctx: Ctx, asked: Asked): Promise<Found> {
  const key = searchKey(asked.query)
  const beginning = `${key.replace(/[\\%_]/g, '\\$&')}%`
  const wanted = wantedWords(asked.query, asked.titlesOnly ?? false)
  const matches = (column: 'head_tsv' | 'tsv', more = sql`true`) => sql`
    select site_id, kind, entity_id, title, search_key, ${sql.ref(column)} as vector
    from wanted, search_documents document
    where site_id = ${ctx.site.id} and ${sql.ref(column)} @@ wanted.words and ${isOfType(asked.type)} and ${more}`
  const inOrder = [
    matches('head_tsv', sql`search_key = ${key}`),
    matches('head_tsv', sql`search_key like ${beginning}`),
    matches('head_tsv'),
    ...(asked.titlesOnly ? [] : [matches('tsv')]),
  ]
  return select(ctx, asked, {
    found: sql`
      select site_id, kind, entity_id, title, max(rank) as rank from (
        select document.site_id, document.kind, document.entity_id, document.title,
          ts_rank('{0.05, 0.15, 0.4, 1}', document.vector, wanted.words, 1)
            + case when document.search_key = ${key} then 4 when starts_with(document.search_key, ${key}) then 1 else 0 end as rank
        from (${sql.join(inOrder, sql` union all `)}) document, wanted
        where ${isSeen(ctx)}
        limit ${sql.lit(mostRanked)}) candidate
      group by site_id, kind, entity_id, title`,
    wanted,
  })
}

/** Full words as people write them ("quoted", or, -not), or with the last one as a beginning. */
function wantedWords(query: string, titlesOnly: boolean): RawBuilder<unknown> {
  const text = fold(query)
  if (titlesOnly) {
    const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
    return sql`to_tsquery('simple', ${words.map((word) => `${word}:*A`).join(' & ')})`
  }
  const whole = sql`websearch_to_tsquery('english', ${text})`
  const last = /(?:^|[^-\p{L}\p{N}"]|\p{L}-)([\p{L}\p{N}]+)$/u.exec(text)?.[1]
  if (last === undefined || last.length < 2) return whole
  const before = text.slice(0, text.length - last.length)
  return sql`(${whole} || (websearch_to_tsquery('english', ${before}) && to_tsquery('simple', ${`${last}:*`})))`
}

const mostSimilar = 200

/** How much must agree is a setting of the connection (db/client.server.ts). */
async function findBySpelling(ctx: Ctx, asked: Asked): Promise<Found> {
  const key = searchKey(asked.query)
  if ([...key].length < 4) return { rows: [], total: 0 }
  return select(ctx, asked, {
    found: sql`
      select document.site_id, document.kind, document.entity_id, document.title,
        word_similarity(${key}, document.search_key) + similarity(${key}, document.search_key) as rank
      from search_documents document
      where document.site_id = ${ctx.site.id} and ${key} <% document.search_key and ${isOfType(asked.type)} and ${isSeen(ctx)}
      limit ${sql.lit(mostSimilar)}`,
  })
}

function isOfType(type: SearchType): RawBuilder<SqlBool> {
  return type === 'all' ? sql`true` : sql`document.kind = ${type}`
}

/** Asked of each document before the best are chosen: what the viewer may not see must not take the place of what they may. */
function isSeen(ctx: Ctx): RawBuilder<SqlBool> {
  const among = (kind: 'courses' | 'modules' | 'videos' | 'lectures', more = sql`true`) => sql`exists (
    select from ${sql.table(kind)} where ${sql.ref(`${kind}.id`)} = document.entity_id and ${isListed(ctx, kind)} and ${more})`
  return sql<SqlBool>`case document.kind
    when 'course' then ${among('courses')}
    when 'module' then ${among('modules')}
    when 'video' then ${among('videos')}
    when 'lecture' then ${among('lectures', isSwitchedOn(ctx, 'LECTURES'))}
    else ${isSwitchedOn(ctx, 'GLOSSARY')} and exists (
      select from glossary_terms where glossary_terms.id = document.entity_id and glossary_terms.deleted_at is null) end`
}

/** Joins what is shown to what was found, and takes one page of the best. */
async function select(
  ctx: Ctx,
  asked: Asked,
  parts: { found: RawBuilder<unknown>; wanted?: RawBuilder<unknown> },
): Promise<Found> {
  // T: a query that only says what is not wanted, for which every document would have to be read. It finds nothing.
  const wanted = parts.wanted
    ? sql`wanted as materialized (select words from (select ${parts.wanted} as words) asked where querytree(words) <> 'T'),`
    : sql``
  const { rows } = await sql<Row & { total: number }>`
    with ${wanted} found as materialized (${parts.found}),
    seen as (
      select found.*, coalesce(courses.uid, modules.uid, videos.uid, lectures.uid, glossary_terms.uid) as uid,
        glossary_terms.slug, coalesce(modules.coming_soon, lectures.coming_soon, false) as coming_soon,
        case found.kind when 'course' then ${isOpenable(ctx, 'courses')} when 'module' then ${isOpenable(ctx, 'modules')}
          when 'video' then ${isOpenable(ctx, 'videos')} when 'lecture' then ${isOpenable(ctx, 'lectures')} else true end as can_open,
        videos.phases[1] as first_phase
      from found
      left join courses on found.kind = 'course' and courses.id = found.entity_id
      left join modules on found.kind = 'module' and modules.id = found.entity_id
      left join videos on found.kind = 'video' and videos.id = found.entity_id
      left join lectures on found.kind = 'lecture' and lectures.id = found.entity_id
      left join glossary_terms on found.kind = 'glossary' and glossary_terms.id = found.entity_id),
    page as (
      select seen.*, least(count(*) over (), ${mostHits})::int as total from seen
      where ${asked.canOpen ? sql`can_open` : sql`true`}
      order by rank desc, title, kind, entity_id limit ${asked.limit} offset ${asked.offset ?? 0})
    select page.kind, page.uid, page.slug, page.title, page.coming_soon as "isComingSoon", page.can_open as "isOpenable",
      page.site_id as "siteId", page.entity_id as "entityId", page.total,
      chapters.name as step, coalesce(sections.frontend_id, page.first_phase) as phase
    from page
    left join module_chapters on page.kind = 'module' and module_chapters.module_id = page.entity_id
    left join lecture_chapters on page.kind = 'lecture' and lecture_chapters.lecture_id = page.entity_id
    left join chapters on chapters.id = coalesce(module_chapters.chapter_id, lecture_chapters.chapter_id)
    left join sections on sections.id = chapters.section_id
    order by page.rank desc, page.title, page.kind, page.entity_id`.execute(ctx.db)
  return { rows: rows.map(({ total: _, ...row }) => row), total: rows[0]?.total ?? 0 }
}

/** Control characters, which no text holds here: what they stand around is marked by the component, never as HTML. */
const begin = '\u0002'
const end = '\u0003'
const windowSize = 3000
/** Shown whole. */
const shortText = 260
/** So many characters tell whether an excerpt begins and ends where its text does. */
const edge = 12

type Excerpt = { text: string; head: string; tail: string }

/** With excerpts: of a long text only what is around the first word is looked at. */
async function describe(ctx: Ctx, rows: Row[], query: string): Promise<SearchHit[]> {
  if (rows.length === 0) return []
  const text = fold(query)
  const stems = (text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).map((word) =>
    word.slice(0, Math.max(4, word.length - 3)),
  )
  const last = /[\p{L}\p{N}]+$/u.exec(text)?.[0]
  const words = last === undefined ? sql`''::tsquery` : sql`to_tsquery('simple', ${`${last}:*`})`
  const marks = `StartSel=${begin}, StopSel=${end}`
  const parts = `${marks}, MaxFragments=2, MaxWords=28, MinWords=12, FragmentDelimiter=" … "`
  const { rows: excerpts } = await sql<{ kind: string; entityId: number } & Excerpt>`
    select document.kind, document.entity_id as "entityId",
      ts_headline('english', translate(around.text, ${begin + end}, ''), websearch_to_tsquery('english', ${text}) || ${words},
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
    excerpt: partsOf(withDots(byKey.get(`${row.kind} ${entityId}`) ?? { text: '', head: '', tail: '' })),
  }))
}

function withDots({ text, head, tail }: Excerpt): string {
  const plain = text.replaceAll(begin, '').replaceAll(end, '').trim()
  if (plain === '') return ''
  return `${plain.startsWith(head) ? '' : '… '}${text.trim()}${plain.endsWith(tail) ? '' : ' …'}`
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
