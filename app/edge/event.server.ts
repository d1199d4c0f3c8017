/**
 * `POST /event/` (spec, authoring, "Event call"): page views and video events as JSON, from visitors too. Answers 204 and nothing else,
 * 400 to what is no event. Whoever is signed in sends the token, in the header or, since a beacon has none, as `csrf` in the body.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { env } from '~/config/env.server.ts'
import { contextOf } from '~/http/context.server.ts'
import { isCsrfTokenValid } from '~/http/csrf.server.ts'
import type { Exchange } from '~/http/exchange.server.ts'
import { statusOf } from '~/http/respond.server.ts'
import { ServiceError, Unavailable } from '~/services/errors.ts'
import { recordEvent } from '~/services/events/events.server.ts'

const maxBytes = 16_000

export async function handleEvent(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  res.setHeader('Cache-Control', 'no-store')
  if (!/^\/event\/?(?:\?|$)/.test(exchange.url)) return end(res, 404)
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

/** Null for what is no JSON object. The rest of a body that is too large is not read. */
async function readObject(req: IncomingMessage): Promise<Record<string, unknown> | 'too large' | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) return 'too large'
    chunks.push(chunk)
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function end(res: ServerResponse, status: number): void {
  res.statusCode = status
  res.end()
}
