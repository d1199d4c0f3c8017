import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Conflict, Forbidden, NotFound, outageOf, ServiceError, TooLarge, Unavailable } from '~/services/errors.ts'

/**
 * The answer of a resource. The handler writes it, for HEAD without the body. A streamed answer sets its own length.
 */
export type Answer = {
  status: number
  headers?: Record<string, string>
  body?: string | Buffer | (() => AsyncIterable<Buffer>)
}

export function json(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return { status, body, headers: { 'Content-Type': 'application/json', ...headers } }
}

/** An answer with the ETag of its body, as 1.0.3 communication 3.1 requires for resources with concurrency control. */
export function jsonWithEtag(value: object, headers: Record<string, string> = {}): Answer {
  const body = JSON.stringify(value)
  return json(200, body, { ...headers, ETag: `"${createHash('sha1').update(body).digest('hex')}"` })
}

export const noContent: Answer = { status: 204 }

/** Null for a fault on our side, which the caller logs. */
export function refusalOf(error: unknown, accept: string | undefined): Answer | null {
  if (!(error instanceof ServiceError)) return null
  const retry: Record<string, string> = error instanceof Unavailable ? { 'Retry-After': String(error.retryAfter) } : {}
  return errorAnswer(statusOf(error), error.message, { error: error.message, code: error.code }, accept, retry)
}

export function faultOf(error: unknown, accept: string | undefined): Answer {
  const outage = refusalOf(outageOf(error), accept)
  if (outage) return outage
  const sentence = 'Something went wrong on our side. Please try again.'
  return errorAnswer(500, sentence, { error: sentence }, accept)
}

/**
 * An error in the format that the client prefers: JSON, unless it prefers a page or plain text (1.0.3 communication
 * 3.2).
 */
function errorAnswer(
  status: number,
  sentence: string,
  value: object,
  accept: string | undefined,
  headers: Record<string, string> = {},
): Answer {
  const wanted = preferred(accept ?? '', ['application/json', 'text/html', 'text/plain'])
  if (wanted === 'application/json') return json(status, JSON.stringify(value), headers)
  const escaped = sentence.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
  const page = `<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>${status}</title><p>${escaped}</p></html>\n`
  const body = wanted === 'text/html' ? page : `${sentence}\n`
  return { status, body, headers: { ...headers, 'Content-Type': `${wanted}; charset=utf-8`, Vary: 'Accept' } }
}

/** The first of the offered types, unless the client gives another one a higher weight (RFC 7231 5.3.2). */
function preferred(accept: string, offered: [string, ...string[]]): string {
  const weights = offered.map((type) => weightOf(accept, type))
  return offered[weights.indexOf(Math.max(...weights))] ?? offered[0]
}

function weightOf(accept: string, type: string): number {
  const ranges = accept.split(',').map((part) => {
    const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return { range, weight: quality ? Number(quality.slice(2)) || 0 : 1 }
  })
  const matches = [type, type.replace(/\/.*/, '/*'), '*/*'].map((wanted) =>
    ranges.find(({ range }) => range === wanted),
  )
  return matches.find((match) => match)?.weight ?? 0
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
 * Any origin may send requests, since no cookie is read here and only the Authorization header identifies the client.
 * The policy keeps stored documents from running as pages on our origin, whatever their type is.
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
