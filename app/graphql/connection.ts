import type { Page } from '~/lib/cursor.ts'

export type PageArguments = { first?: number; after?: string | null }

type Connection<T> = {
  edges: { node: T }[]
  count: () => Promise<number>
  pageInfo: { endCursor: string | null; hasNextPage: boolean }
}

/** Turns a page into a connection of the contract. `count` runs only if the client asks for the total. */
export function connection<T>(page: Page<T>, count: () => Promise<number>): Connection<T> {
  return {
    edges: page.items.map((node) => ({ node })),
    count,
    pageInfo: { endCursor: page.endCursor, hasNextPage: page.hasNextPage },
  }
}

/** The resolvers of every type that `connection` makes values of. */
export const connectionResolvers = Object.fromEntries(
  ['University', 'Module', 'Tag', 'Course', 'CourseCatalog', 'Lecture', 'Video', 'GlossaryTerm'].map((name) => [
    `${name}Connection`,
    { totalCount: ({ count }: Connection<unknown>) => count() },
  ]),
)
