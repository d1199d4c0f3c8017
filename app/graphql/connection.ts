import type { Page } from '~/lib/cursor.ts'

export type PageArguments = { first?: number; after?: string | null }

/** Turns a page into a connection of the contract. */
export function connection<T>(page: Page<T>, count: () => Promise<number>) {
  return {
    edges: page.items.map((node) => ({ node })),
    // A function, so that the count runs only if the client asks for it.
    totalCount: count,
    pageInfo: { endCursor: page.endCursor, hasNextPage: page.hasNextPage },
  }
}
