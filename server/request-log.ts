import type express from 'express'
import type { Edge } from '../app/edge/index.server.ts'
import type { Exchange } from '../app/http/exchange.server.ts'

/**
 * Logs one line per answer, without personal data, and marks refusals as security events (docs/security.md). Then runs
 * the work that the request left for afterwards (the session's last use).
 */
export function logWhenDone(edge: Edge, _req: express.Request, res: express.Response, next: () => void): void {
  const counter = { queries: 0 }
  const exchange = res.locals.exchange as Exchange
  res.on('close', () => {
    edge.logger().info(
      {
        requestId: exchange.requestId,
        method: exchange.method,
        route: edge.routeOf(exchange.url),
        status: res.statusCode,
        durationMs: Date.now() - exchange.startedAt.getTime(),
        queries: counter.queries,
        ...((res.statusCode === 401 || res.statusCode === 403) && { event: 'security.request_refused' }),
      },
      'request',
    )
    const afterwards = exchange.memo.get('afterwards') as (() => Promise<void>) | undefined
    void afterwards?.()
  })
  edge.countQueries(counter, next)
}
