import type { Page } from '~/lib/cursor.ts'

export type PageArguments = { first?: number; after?: string | null }

/** A page as a connection of the contract. */
export function connection<T>(page: Page<T>, count: () => Promise<number>) {
  return {
    edges: page.items.map((node) => ({ node })),
    // A function, so that nothing is counted unless it is asked for.
    totalCount: count,
    pageInfo: { endCursor: page.endCursor, hasNextPage: page.hasNextPage },
  }
}
