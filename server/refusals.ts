/** Refuses requests at the entrance, before any other code looks at them. */
import type express from 'express'
import type { Edge } from '../app/edge/index.server.ts'
import type { Exchange } from '../app/http/exchange.server.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const hostName = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/
const dotSegment = /(^|\/)(\.|%2e){1,2}(\/|$)/i
/** Remix matches each parent of a path that it does not know, so a path of thousands of segments would take seconds. */
const maxSegments = 64
const maxFormBytes = 1_000_000
/** Outside the console nobody writes long texts. A refused form comes back with its values, so it costs twice its size. */
const maxLearnerFormBytes = 100_000
const megabyte = 1024 * 1024
/**
 * Two covers and a package. Only the console has forms with files, and they are read as streams
 * (app/http/form-files.server.ts). Those of lectures and videos may have a film besides.
 */
const maxFormWithFilesMb = 56
const formsWithFilms = /^\/dashboard\/(?:lectures|videos|parts\/film-media)\//

/** Refuses requests that no browser sends. The parts behind us would each read them differently. */
export const refuseMalformed: express.RequestHandler = (req, res, next) => {
  if (!methods.includes(req.method)) {
    res.setHeader('Allow', methods.join(', '))
    return refuse(res, 405, 'This method is not supported.')
  }
  const { host } = res.locals.exchange as Exchange
  // RFC 9112 3.2. A proxy in front of us may have read the other one.
  if (timesSent(req, 'host') > 1) return refuse(res, 400, 'There must be one header Host.')
  if (host !== '' && !(hostName.test(host) && URL.canParse(`http://${host}`))) {
    return refuse(res, 400, 'The host name is malformed.')
  }
  if (!isWellFormed(req.url)) return refuse(res, 400, 'This address is malformed.')
  next()
}

function timesSent({ rawHeaders }: express.Request, name: string): number {
  return rawHeaders.filter((header, at) => at % 2 === 0 && header.toLowerCase() === name).length
}

/**
 * True for a path of sensible depth with valid percent-encoding: no absolute address, dot segment, backslash or U+0000.
 */
function isWellFormed(url: string): boolean {
  const path = url.split('?', 1)[0] ?? ''
  if (!path.startsWith('/') || url.includes('#') || url.includes('%00') || path.includes('\\')) return false
  if (dotSegment.test(path) || path.split('/', maxSegments + 2).length > maxSegments + 1) return false
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

/**
 * Pages load their data from `.data` addresses. Remix also answers the older `?_data=`, which none of our pages uses, but
 * logs an error with a stack trace for each request.
 */
export const refuseDataParameter: express.RequestHandler = (req, res, next) => {
  const isOld = new URLSearchParams(req.url.split('?').slice(1).join('?')).has('_data')
  if (isOld) return refuse(res, 400, 'This address is malformed.')
  next()
}

/**
 * Forms are small, and Remix would read a body of any size into memory. Handlers of larger bodies are mounted before
 * this.
 */
export function limitForms(videoMaxMb: number): express.RequestHandler {
  return (req, res, next) => {
    if (req.headers['transfer-encoding'] !== undefined)
      return refuse(res, 411, 'A form must have the header Content-Length.')
    const isConsole = req.path.startsWith('/dashboard/')
    const filesMb = maxFormWithFilesMb + (formsWithFilms.test(req.path) ? videoMaxMb : 0)
    const [maxBytes, limit] = !isConsole
      ? [maxLearnerFormBytes, '100 KB']
      : hasFiles(req)
        ? [filesMb * megabyte, `${filesMb.toLocaleString('en')} MB`]
        : [maxFormBytes, '1 MB']
    if (Number(req.headers['content-length'] ?? 0) > maxBytes) {
      return refuse(res, 413, `This form is larger than ${limit} and was not read.`)
    }
    next()
  }
}

function hasFiles(req: express.Request): boolean {
  return /^multipart\/form-data\s*;/i.test(req.headers['content-type'] ?? '')
}

/** The time in milliseconds in which a body without files must arrive, and what is left of a refused one. */
const bodyMs = 60_000

/**
 * Cuts off a client whose small body does not arrive within a minute. Uploads and forms with files may take longer; their
 * readers cut off a client that stops sending (app/http/multipart.server.ts).
 */
export const limitBodyTime: express.RequestHandler = (req, _res, next) => {
  const mayTakeLong = hasFiles(req) && (req.path.startsWith('/dashboard/') || req.path.startsWith('/graphql'))
  if (!mayTakeLong) destroyUnlessComplete(req)
  next()
}

function destroyUnlessComplete(req: express.Request): void {
  const timer = setTimeout(() => {
    if (!req.complete) req.destroy()
  }, bodyMs)
  req.once('close', () => clearTimeout(timer))
}

/**
 * Discards what is left of a body once it is answered. Node does so only for a body that nobody has begun to read, and
 * Remix begins at once. The rest would block the next request on the connection, and a browser that is still sending
 * would not read the answer. A client that keeps sending is cut off after a minute. Uploads discard theirs themselves, up
 * to a limit.
 */
export const discardRest: express.RequestHandler = (req, res, next) => {
  res.once('finish', () => {
    if (req.complete) return
    destroyUnlessComplete(req)
    req.removeAllListeners('data').resume()
  })
  next()
}

/** Refuses a host that is none of ours. */
export function refuseUnknownHosts(edge: Edge): express.RequestHandler {
  return (_req, res, next) => {
    if (edge.isKnownHost(res.locals.exchange as Exchange)) return next()
    refuse(res, 421, 'Titrate is not served under this host name; its operator can add the name to ALLOWED_HOSTS.')
  }
}

export function refuse(res: express.Response, status: number, sentence: string): void {
  const { requestId } = res.locals.exchange as Exchange
  res.setHeader('Cache-Control', 'no-store')
  res.status(status).type('text/plain').send(`${sentence} (${requestId})`)
}
