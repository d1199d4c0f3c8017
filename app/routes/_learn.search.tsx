import { data, type LoaderFunctionArgs, type MetaFunction } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { SearchPage } from '~/components/search/search-page.tsx'
import { onceSeen } from '~/http/afterwards.server.ts'
import { requireLearner } from '~/http/context.server.ts'
import { titleFrom } from '~/http/meta.ts'
import { statusOf } from '~/http/respond.server.ts'
import { addressOfHit, cleanQuery, searchTypeOf } from '~/lib/search-query.ts'
import { pageNumber } from '~/lib/table-query.ts'
import { findBegun } from '~/pages/search-hits.server.ts'
import { Unavailable } from '~/services/errors.ts'
import { recordSearch } from '~/services/events/events.server.ts'
import { listTagged, searchContent } from '~/services/search/search.server.ts'

export const meta: MetaFunction<typeof loader> = ({ matches, data }) =>
  titleFrom(matches, data?.isTag ? `Tag: ${data.query}` : 'Search')

export async function loader(args: LoaderFunctionArgs) {
  const ctx = await requireLearner(args)
  const { exchange } = args.context
  const { searchParams } = new URL(args.request.url)
  const tag = cleanQuery(searchParams.get('tag'))
  const isTag = tag !== ''
  const asked = {
    query: isTag ? tag : cleanQuery(searchParams.get('query')),
    type: searchTypeOf(searchParams.get('type')),
  }
  const page = pageNumber(searchParams.get('page'))
  try {
    const results = isTag
      ? await listTagged(ctx, { tag, type: asked.type, page })
      : await searchContent(ctx, { ...asked, page })
    const { total } = results
    // Further pages of results and lists of tags do not count as new searches.
    if (asked.query && !isTag && page === 1) onceSeen(exchange, () => recordSearch(ctx, { ...asked, results: total }))
    const begun = await findBegun(ctx, results.hits)
    const hits = results.hits.map((hit) => ({ ...hit, address: addressOfHit(hit), begun: begun.get(hit.uid) ?? null }))
    return data({ ...results, hits, isTag, isTooFast: false })
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    exchange.setHeader('Retry-After', String(error.retryAfter))
    const nothing = { ...asked, hits: [], total: 0, page: 1, size: 1, isSimilar: false, elsewhere: 0 }
    return data({ ...nothing, isTag, isTooFast: true }, { status: statusOf(error) })
  }
}

export default function Search() {
  return <SearchPage {...useLoaderData<typeof loader>()} />
}
