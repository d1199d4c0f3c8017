/**
 * `POST /client-error/` (docs/decisions/010) takes an error report from a browser, as JSON, and writes it to the log.
 * It changes nothing and identifies nobody: it reads no cookie and asks for no token. It answers 204, or 400, 403, 413
 * or 429 for a report that it refuses.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { anonymousContextOf } from '~/http/context.server.ts'
import { type Exchange, routeOf } from '~/http/exchange.server.ts'
import { statusOf } from '~/http/respond.server.ts'
import { ServiceError, Unavailable } from '~/services/errors.ts'
import { reportClientError } from '~/services/events/client-errors.server.ts'
import { end, readObject } from './json-body.server.ts'

/** A page sends at most thirty reports. */
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
