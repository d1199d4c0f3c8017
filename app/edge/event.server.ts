/**
 * `POST /event/`, or the path in EVENT_PATH, takes page views and video events as JSON, from visitors too. It answers
 * 204, or 400 for a body that is not an event. Signed-in people send the CSRF token in the header or as `csrf` in the
 * body, since a beacon cannot set headers.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { env } from '~/config/env.server.ts'
import { contextOf } from '~/http/context.server.ts'
import { isCsrfTokenValid } from '~/http/csrf.server.ts'
import type { Exchange } from '~/http/exchange.server.ts'
import { statusOf } from '~/http/respond.server.ts'
import { ServiceError, Unavailable } from '~/services/errors.ts'
import { recordEvent } from '~/services/events/events.server.ts'
import { end, readObject } from './json-body.server.ts'

export async function handleEvent(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  res.setHeader('Cache-Control', 'no-store')
  const [path = ''] = exchange.url.split('?', 1)
  if (path !== env().EVENT_PATH && `${path}/` !== env().EVENT_PATH) return end(res, 404)
  if (exchange.method !== 'POST') {
    res.setHeader('Allow', 'POST')
    return end(res, 405)
  }
  const body = await readObject(req)
  if (body === 'too large') return end(res, 413)
  if (body === null) return end(res, 400)
  const { csrf, ...event } = body
  const ctx = await contextOf(exchange)
  if (ctx.viewer) {
    const token = exchange.header('x-csrftoken') ?? (typeof csrf === 'string' ? csrf : '')
    if (!(await isCsrfTokenValid(ctx, exchange, token))) return end(res, 403)
  }
  try {
    await recordEvent(ctx, { event, perMinute: env().EVENTS_PER_MIN })
    end(res, 204)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    if (error instanceof Unavailable) res.setHeader('Retry-After', String(error.retryAfter))
    end(res, statusOf(error))
  }
}
