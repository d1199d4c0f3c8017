/** Operations of the contract (tests/graphql/contract) that are not served yet. Remove one when you serve it: this list only shrinks. */
export const missing = new Set<string>([])

/**
 * Files of the contract without any operation that is served yet. When you serve the first one, its other operations go
 * into the list above.
 */
export const missingFiles = new Set<string>([])
