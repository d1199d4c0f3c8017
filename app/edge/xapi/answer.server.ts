import type { ServerResponse } from 'node:http'
import { Conflict, Forbidden, NotFound, ServiceError, Unavailable } from '~/services/errors.ts'
import { TooLarge } from './request.server.ts'

/** What a resource answers; the handler writes it, for HEAD without the body. */
export type Answer = { status: number; headers?: Record<string, string>; body?: string | Buffer }

export function json(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return { status, body, headers: { 'Content-Type': 'application/json', ...headers } }
}

export const noContent: Answer = { status: 204 }

/**
 * Null for a fault of ours, which the caller logs. C048: never with WWW-Authenticate, on which a browser would ask and
 * wait.
 */
export function refusalOf(error: unknown): Answer | null {
  if (!(error instanceof ServiceError)) return null
  const retry: Record<string, string> = error instanceof Unavailable ? { 'Retry-After': String(error.retryAfter) } : {}
  return json(statusOf(error), JSON.stringify({ error: error.message, code: error.code }), retry)
}

function statusOf(error: ServiceError): number {
  if (error instanceof TooLarge) return 413
  if (error instanceof NotFound) return 404
  if (error instanceof Forbidden) return error.code === 'xapi.unauthorized' ? 401 : 403
  if (error instanceof Conflict) return error.code === 'xapi.precondition' ? 412 : 409
  if (error instanceof Unavailable) return 503
  return 400
}

const allowedHeaders = [
  'Authorization',
  'Content-Type',
  'Content-Length',
  'Accept',
  'Accept-Language',
  'If-Match',
  'If-None-Match',
  'X-Experience-API-Version',
  'X-Experience-API-Hash',
  'X-Requested-With',
]
const exposedHeaders = [
  'ETag',
  'Last-Modified',
  'Cache-Control',
  'Content-Type',
  'Content-Length',
  'X-Experience-API-Version',
  'X-Experience-API-Consistent-Through',
  'X-Request-Id',
]

/**
 * C049. Any origin may ask, since no cookie is ever read here: who asks is in the Authorization header alone. What
 * learners stored is never a page on our origin, whatever its type says.
 */
export function setCommonHeaders(res: ServerResponse): void {
  res.setHeader('Access-Control-Allow-Origin', '*')
  res.setHeader('Access-Control-Expose-Headers', exposedHeaders.join(', '))
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Content-Security-Policy', "default-src 'none'; sandbox")
  res.setHeader('Cache-Control', 'no-store')
}

export function answerPreflight(res: ServerResponse, requestedHeaders: string | undefined): void {
  const extra = requestedHeaders && /^[\w, -]{1,500}$/.test(requestedHeaders) ? `, ${requestedHeaders}` : ''
  res.writeHead(204, {
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE, OPTIONS',
    'Access-Control-Allow-Headers': allowedHeaders.join(', ') + extra,
    'Access-Control-Max-Age': '86400',
    'Content-Length': '0',
  })
  res.end()
}
