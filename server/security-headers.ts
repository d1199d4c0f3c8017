import type express from 'express'
import helmet from 'helmet'
import type { Edge } from '../app/edge/index.server.ts'
import type { Exchange } from '../app/http/exchange.server.ts'

/** Devices that nobody here uses, learning content neither. */
const closedDevices = [
  'bluetooth',
  'camera',
  'display-capture',
  'geolocation',
  'hid',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
]

/** Headers for every answer: pages, programs, static files and package files. */
export function commonHeaders(res: express.Response, { isHttps }: { isHttps: boolean }): void {
  res.setHeader('X-Content-Type-Options', 'nosniff')
  res.setHeader('Referrer-Policy', 'strict-origin-when-cross-origin')
  res.setHeader('Permissions-Policy', closedDevices.map((device) => `${device}=()`).join(', '))
  // No other site may show our answers as images or run them as scripts. Package files and pictures in messages say
  // otherwise for themselves. Programs that read answers (CORS) are not affected.
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
  if (isHttps) res.setHeader('Strict-Transport-Security', 'max-age=31536000; includeSubDomains')
}

/** One policy for all pages. It belongs to the first document, and client navigation keeps it. */
export function pageHeaders(edge: Edge): express.RequestHandler {
  const content = edge.contentSources()
  const { ASSET_ORIGIN } = edge.env()
  const assets = ASSET_ORIGIN === undefined ? [] : [ASSET_ORIGIN]
  const isHttps = edge.env().SITE_ORIGIN.startsWith('https:')
  const policy = (ancestors: string[], openers: 'same-origin-allow-popups' | 'unsafe-none') =>
    helmet({
      referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
      crossOriginOpenerPolicy: { policy: openers },
      crossOriginResourcePolicy: false,
      xFrameOptions: false,
      hsts: false,
      contentSecurityPolicy: {
        useDefaults: true,
        directives: {
          'base-uri': ["'none'"],
          'script-src': ["'self'", ...assets, (_req, res) => `'nonce-${exchangeOf(res as express.Response).nonce}'`],
          // AG Grid, the editor and React set styles of their own.
          'style-src': ["'self'", "'unsafe-inline'"],
          'font-src': ["'self'"],
          // Rich text shows images from the web. On https, browsers fetch http images over https or not at all.
          'img-src': ["'self'", 'data:', 'blob:', 'https:', ...(isHttps ? [] : ['http:'])],
          // A film is wherever its author says; our own films are on this site.
          'media-src': ["'self'", 'https:', ...(isHttps ? [] : ['http:'])],
          // A unit may be at any https address, and client navigation leads to the viewer from every page.
          'frame-src': ["'self'", ...content, 'https://player.vimeo.com', 'https:'],
          // The viewer asks whether the browser can reach the origin of a module.
          'connect-src': ["'self'", ...content],
          'frame-ancestors': ancestors,
          'form-action': ["'self'"],
          'upgrade-insecure-requests': null,
        },
      },
    })
  const normal = policy(["'self'"], 'same-origin-allow-popups')
  // Inside a unit's frame our exit page may be a grandchild of the viewer. In a pop-up of a unit it comes after content,
  // which has no such policy; a policy on the exit page would cut it off from the unit's frame.
  const exit = policy(["'self'", ...content], 'unsafe-none')
  return (req, res, next) => (req.path.startsWith('/module-exit/') ? exit : normal)(req, res, next)
}

function exchangeOf(res: express.Response): Exchange {
  return res.locals.exchange as Exchange
}
