/**
 * Search: PostgreSQL full-text search over the search documents. It also matches the beginning of the last word and, if
 * nothing contains the words, titles with a similar spelling. Visibility is checked with the same SQL fragments as in
 * lists, so that search does not reveal more than they do.
 */
import { env } from '~/config/env.server.ts'
import { itemsPerPage } from '~/lib/list-page.ts'
import { cleanQuery, type SearchType, searchTypeOf } from '~/lib/search-query.ts'
import { type Ctx, requireViewer } from '../context.ts'
import { Unavailable } from '../errors.ts'
import { countAttempts } from '../limits/limits.server.ts'
import { type ExcerptPart, excerptsOf } from './excerpts.server.ts'
import { findBySpelling, findByTag, findByWords, type Match, mostMatches } from './queries.server.ts'

export type SearchHit = Omit<Match, 'siteId' | 'entityId'> & { excerpt: ExcerptPart[] }

export type SearchResults = {
  query: string
  type: SearchType
  hits: SearchHit[]
  /** At most `mostMatches`. */
  total: number
  page: number
  size: number
  /** True if no document contains the words, and these are titles with a similar spelling. */
  isSimilar: boolean
  /** How many documents of other types contain the words, if none of this type does. */
  elsewhere: number
}

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
  if (found.total > 0) return { ...none, ...found, hits: await withExcerpts(ctx, found.rows, query) }
  // A page beyond the end is empty but still has the total of the list.
  if (page > 1) return { ...none, total: (await findByWords(ctx, { query, type, limit: 1 })).total }
  const elsewhere = type === 'all' ? 0 : (await findByWords(ctx, { query, type: 'all', limit: 1 })).total
  const similar = await findBySpelling(ctx, { query, type, limit: itemsPerPage })
  const hits = await withExcerpts(ctx, similar.rows, query)
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
  const hits = await withExcerpts(ctx, found.rows, query)
  return { query, type, hits, total, page, size: itemsPerPage, isSimilar: false, elsewhere: 0 }
}

/** Returns the nearest possible page; anything but a number gives the first page. */
function pageOf(page = 1): number {
  return Math.min(Math.max(Math.trunc(page) || 1, 1), mostMatches / itemsPerPage)
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
  // The searches of an admin who views as somebody do not count for that person.
  if (ctx.viewAs) return
  const [count = 0] = await countAttempts(ctx, [`search:${requireViewer(ctx).uid}`], 60)
  if (count > env().SEARCHES_PER_MINUTE) {
    throw new Unavailable('You are searching very fast. Please wait a minute and try again.', 60)
  }
}

async function withExcerpts(ctx: Ctx, matches: Match[], query: string): Promise<SearchHit[]> {
  const excerpts = await excerptsOf(ctx, matches, query)
  return matches.map(({ siteId: _, entityId: __, ...hit }, index) => ({ ...hit, excerpt: excerpts[index] ?? [] }))
}
