import type { LoaderFunctionArgs } from '@remix-run/node'
import { contextFor } from '~/http/context.server.ts'
import { statusOf } from '~/http/respond.server.ts'
import { addressOfHit } from '~/lib/search-query.ts'
import { ServiceError } from '~/services/errors.ts'
import { suggestContent } from '~/services/search/search.server.ts'

/**
 * Suggests searches while somebody types in the search box. Viewers who may not search, or search too often, get no
 * suggestions.
 */
export async function loader(args: LoaderFunctionArgs) {
  const ctx = await contextFor(args)
  const { searchParams } = new URL(args.request.url)
  try {
    const found = await suggestContent(ctx, {
      query: searchParams.get('query') ?? '',
      type: searchParams.get('type'),
    })
    return answer(found.map((hit) => ({ title: hit.title, kind: hit.kind, address: addressOfHit(hit) })))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return answer([], statusOf(error))
  }
}

/**
 * Caches suggestions for half a minute, for people who delete and retype. The next person at this browser never gets
 * them.
 */
function answer(suggestions: object[], status = 200): Response {
  const caching = status === 200 ? 'private, max-age=30' : 'no-store'
  return Response.json({ suggestions }, { status, headers: { 'Cache-Control': caching, Vary: 'Cookie' } })
}
