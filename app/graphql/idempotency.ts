import { createHash } from 'node:crypto'
import type { GraphQLResolveInfo } from 'graphql'
import type { GraphqlContext } from './context.ts'

/**
 * The uid of the thing that a request with an `Idempotency-Key` header creates. The same person, key and field always
 * give the same uid, so a repeated request creates nothing twice, and one document may still create several things.
 * Undefined without the header.
 */
export function uidForRequest({ ctx, idempotencyKey }: GraphqlContext, info: GraphQLResolveInfo): string | undefined {
  if (!idempotencyKey) return undefined
  const hash = createHash('sha256').update([ctx.viewer?.uid, info.fieldName, info.path.key, idempotencyKey].join('|'))
  const hex = hash.digest('hex')
  // Version 8 of RFC 9562: a custom UUID.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
