import { createHash } from 'node:crypto'
import type { GraphQLResolveInfo } from 'graphql'
import type { GraphqlContext } from './context.ts'

/**
 * The uid of what a request with an `Idempotency-Key` header makes: the same for the same person, key and field, so that a request which
 * is sent again makes nothing twice, and one document may still make several things. Undefined without the header.
 */
export function uidForRequest({ ctx, idempotencyKey }: GraphqlContext, info: GraphQLResolveInfo): string | undefined {
  if (!idempotencyKey) return undefined
  const hash = createHash('sha256').update([ctx.viewer?.uid, info.fieldName, info.path.key, idempotencyKey].join('|'))
  const hex = hash.digest('hex')
  // Version 8 of RFC 9562: a UUID of one's own making.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
