/**
 * `POST /client-error/` (docs/decisions/010): what went wrong in a browser, as JSON, for the log. It changes nothing and knows nobody: no cookie is
 * read and no token asked for. Answers 204, and 400, 403, 413 or 429 to what it does not take.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { anonymousContextOf } from '~/http/context.server.ts'
import { type Exchange, routeOf } from '~/http/exchange.server.ts'
import { statusOf } from '~/http/respond.server.ts'
import { ServiceError, Unavailable } from '~/services/errors.ts'
import { reportClientError } from '~/services/events/client-errors.server.ts'
import { end, readObject } from './json-body.server.ts'

/** A page tells at most thirty. */
const perMinute = 120

export async function handleClientError(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  res.setHeader('Cache-Control', 'no-store')
  if (!/^\/client-error\/?(?:\?|$)/.test(exchange.url)) return end(res, 404)
  if (exchange.method !== 'POST') {
    res.setHeader('Allow', 'POST')
    return end(res, 405)
  }
  const report = await readObject(req)
  if (report === 'too large') return end(res, 413)
  if (report === null) return end(res, 400)
  try {
    await reportClientError(await anonymousContextOf(exchange), { report, perMinute, routeOf })
    end(res, 204)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error instanceof Unavailable) res.setHeader('Retry-After', String(error.retryAfter))
    end(res, statusOf(error))
  }
}
