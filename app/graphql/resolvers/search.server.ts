import { addressOfHit } from '~/lib/search-query.ts'
import { type SearchHit, type SearchResults, searchContent } from '~/services/search/search.server.ts'
import type { GraphqlContext } from '../context.ts'

export const searchResolvers = {
  Query: {
    search: (_: unknown, input: { query: string; type?: string; page?: number }, { ctx }: GraphqlContext) =>
      searchContent(ctx, input),
  },
  SearchResults: {
    totalCount: ({ total }: SearchResults) => total,
  },
  SearchHit: {
    excerpt: ({ excerpt }: SearchHit) => excerpt.map(({ text }) => text).join(''),
    url: (hit: SearchHit, _: unknown, { ctx }: GraphqlContext) => `${ctx.site.baseUrl}${addressOfHit(hit)}`,
    comingSoon: ({ isComingSoon }: SearchHit) => isComingSoon,
  },
}
