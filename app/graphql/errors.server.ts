import { GraphQLError } from 'graphql'
import type { Log } from '~/services/context.ts'
import { Conflict, Forbidden, Invalid, NotFound, outageOf, ServiceError, Unavailable } from '~/services/errors.ts'

/** The sentence and code that a client may see. A fault becomes one calm sentence; the log has the details. */
export function toClientError(error: Error | GraphQLError, log: Log): GraphQLError {
  const graphqlError = error instanceof GraphQLError ? error : new GraphQLError(error.message, { originalError: error })
  const cause = graphqlError.originalError
  if (!cause || cause instanceof GraphQLError) {
    // Syntax and validation errors are the client's own mistakes and keep graphql's words.
    return withCode(graphqlError, graphqlError.message, (graphqlError.extensions.code as string) ?? 'BAD_USER_INPUT')
  }
  if (cause instanceof ServiceError) {
    const { message, fieldErrors } = cause
    // The answer has status 200, so the line of the request does not say it.
    if (cause instanceof Forbidden && cause.code !== 'login_required')
      log.warn({ event: 'security.request_refused' }, 'security event')
    return withCode(graphqlError, message, codeOf(cause), Object.keys(fieldErrors).length > 0 ? { fieldErrors } : {})
  }
  log.error({ err: cause }, 'graphql operation failed')
  const outage = outageOf(cause)
  if (outage) return withCode(graphqlError, outage.message, codeOf(outage))
  return withCode(graphqlError, 'Internal server error', 'INTERNAL')
}

function codeOf(error: ServiceError): string {
  if (error.code === 'login_required') return 'LOGIN_REQUIRED'
  if (error instanceof Forbidden) return 'FORBIDDEN'
  if (error instanceof NotFound) return 'NOT_FOUND'
  if (error instanceof Invalid) return 'BAD_USER_INPUT'
  if (error instanceof Conflict) return 'CONFLICT'
  if (error instanceof Unavailable) return error.code === 'rate_limited' ? 'RATE_LIMITED' : 'UNAVAILABLE'
  return 'BAD_USER_INPUT'
}

function withCode(error: GraphQLError, message: string, code: string, more: object = {}): GraphQLError {
  return new GraphQLError(message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    path: error.path,
    extensions: { code, ...more },
  })
}
