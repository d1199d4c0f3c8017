import type express from 'express'
import helmet from 'helmet'
import type { Edge } from '../app/edge/index.server.ts'
import type { Exchange } from '../app/http/exchange.server.ts'

/** One policy for all pages: it belongs to the first document, and client navigation keeps it (design, section 7). */
export function pageHeaders(edge: Edge): express.RequestHandler {
  const content = edge.contentOrigins()
  const isHttps = edge.env().SITE_ORIGIN.startsWith('https:')
  const policy = (ancestors: string[]) =>
    helmet({
      referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
      crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
      crossOriginResourcePolicy: false,
      xFrameOptions: false,
      hsts: isHttps,
      contentSecurityPolicy: {
        useDefaults: true,
        directives: {
          'script-src': ["'self'", (_req, res) => `'nonce-${exchangeOf(res as express.Response).nonce}'`],
          'style-src': ["'self'", "'unsafe-inline'"],
          'img-src': ["'self'", 'data:', 'blob:'],
          'frame-src': ["'self'", ...content, 'https://player.vimeo.com', 'https:'],
          'frame-ancestors': ancestors,
          'form-action': ["'self'", ...content, 'https:'],
          'upgrade-insecure-requests': null,
        },
      },
    })
  const normal = policy(["'self'"])
  // Inside a unit's frame our exit page may be a grandchild of the viewer.
  const exit = policy(["'self'", ...content])
  return (req, res, next) => (req.path.startsWith('/module-exit/') ? exit : normal)(req, res, next)
}

export const contentHeaders: express.RequestHandler = (_req, res, next) => {
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Referrer-Policy', 'strict-origin-when-cross-origin')
  next()
}

function exchangeOf(res: express.Response): Exchange {
  return res.locals.exchange as Exchange
}
