/**
 * The web process: hosts, headers, order of mounting, closing. The app's own bundle provides everything that it mounts.
 */
import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { createRequestHandler } from '@remix-run/express'
import type { ServerBuild } from '@remix-run/node'
import compression from 'compression'
import express from 'express'
import sirv from 'sirv'
import { manifestPath } from '../app/browser/remix-internals.ts'
import { isHomeFilm } from '../app/config/home.ts'
import type { Edge } from '../app/edge/index.server.ts'
import type { Exchange } from '../app/http/exchange.server.ts'
import type { Jobs } from '../app/jobs/index.server.ts'
import { withAssetOrigin } from './asset-origin.ts'
import {
  discardRest,
  limitBodyTime,
  limitForms,
  refuse,
  refuseDataParameter,
  refuseMalformed,
  refuseUnknownHosts,
} from './refusals.ts'
import { logWhenDone } from './request-log.ts'
import { commonHeaders, pageHeaders } from './security-headers.ts'

type Build = ServerBuild & { entry: { module: { edge: Edge; jobs: Jobs } } }
type Next = (error?: unknown) => void

/** A process that serves or works. */
export type Running = {
  /** How long, in milliseconds, a web process goes on after it has said that it will stop. */
  announceMs?: number
  announce?: (reason: string) => void
  close: () => Promise<void>
  /** Calls back when only a new process helps. */
  whenBroken?: (stop: (reason: string) => void) => void
}

const configurationError = 78
/**
 * Cuts off clients that send headers very slowly. Idle connections outlive those of the usual load balancers (60 s).
 */
const connections = {
  headersTimeout: 20_000,
  // Enough for a film of 1 GB over a slow line. The code that reads a body cuts off a stalled one sooner.
  requestTimeout: 60 * 60_000,
  connectionsCheckingInterval: 10_000,
  keepAliveTimeout: 65_000,
}
const root = process.cwd()

/** Starts serving, and working if the process is to do both. */
export async function start(): Promise<Running> {
  const built = (await import(pathToFileURL(path.join(root, 'build/server/index.js')).href)) as Build
  const { edge, jobs } = built.entry.module
  const env = edge.env()
  const build = withAssetOrigin(built, env.ASSET_ORIGIN)
  const closers: (() => Promise<void>)[] = []
  if (env.PROCESS_ROLE === 'both') closers.push(await jobs.start())
  const problem = edge.contentProblem()
  if (problem) edge.logger().warn(problem)
  const app = createServer(connections, createApp(build, edge))
  const content = createServer(connections, createContentApp(edge))
  closers.push(
    await listen(app, env.PORT, env.HOST, 'PORT'),
    await listen(content, env.CONTENT_PORT, env.HOST, 'CONTENT_PORT'),
  )
  return {
    announceMs: env.SHUTDOWN_DELAY * 1000,
    announce: (reason) => edge.announceStop(reason),
    close: async () => {
      await Promise.all(closers.map((close) => close()))
      await edge.disconnect()
    },
    whenBroken: (stop) => watchDatabase(edge, stop),
  }
}

/** Checks every ten seconds, one check after the other, whether this process has lost its database for good. */
function watchDatabase(edge: Edge, stop: (reason: string) => void): void {
  const check = async () => {
    if (!(await edge.isDatabaseStuck())) return next()
    const reason = 'The connections to the database do not answer, although new ones do. This process ends.'
    edge.logger().error(reason)
    stop(reason)
  }
  const next = () => setTimeout(check, 10_000).unref()
  next()
}

const mounts = [
  'xapi',
  'launch',
  'u',
  'e',
  'graphql',
  'uploads',
  'files',
  'images',
  'captions',
  'film-files',
  'client-error',
  'api',
  'mail-events',
  'assets',
]

/** Refuses a path that is already in use. */
function eventPathOf(path: string, build: Build): string {
  const routes = Object.values(build.routes).map((route) => route?.path?.split('/')[0])
  const name = path.slice(1, -1)
  if ([...mounts, ...routes].includes(name) || existsSync(`build/client/${name}`)) {
    throw new Error(`EVENT_PATH cannot be ${path}: that path is already in use.`)
  }
  return path
}

function createApp(build: Build, edge: Edge): express.Express {
  const env = edge.env()
  const app = express()
  app.disable('x-powered-by')
  app.set('trust proxy', env.TRUST_PROXY || false)
  app.set('etag', false)

  const contentApp = createContentApp(edge)
  app.use((req, res, next) => (edge.isContentHost(hostOf(req)) ? contentApp(req, res) : next()))

  app.use(beginRequest(edge), refuseMalformed)
  app.get('/healthz', handler(edge.handleHealth))
  app.get('/readyz', handler(edge.handleReadiness))
  app.use(refuseUnknownHosts(edge))
  app.use('/xapi', handler(edge.handleXapi))
  app.use('/launch/fetch', handler(edge.handleLaunchFetch))
  app.use('/u', handler(edge.handleUnsubscribe))
  app.use('/e', handler(edge.handleTrackedMail))
  app.use(guardFilms(edge), staticFiles(edge))

  // Runs before Remix, whose own check of the origin answers with an empty 500.
  app.use((_req, res, next) => {
    if (!edge.isCrossSite(exchangeOf(res))) return next()
    refuse(res, 403, 'This request came from another site and was refused.')
  })
  app.use('/uploads', handler(edge.handleUploads))
  app.use(limitBodyTime, discardRest)
  app.use('/graphql', handler(edge.handleGraphql))
  app.use('/files', handler(edge.handleFile))
  app.use('/images', handler(edge.handleImage))
  app.use('/captions', handler(edge.handleCaptions))
  app.use('/film-files', handler(edge.handleFilmFile))
  app.use(eventPathOf(env.EVENT_PATH, build), handler(edge.handleEvent))
  app.use('/client-error', handler(edge.handleClientError))
  app.use('/api/reports', (req, res, next) =>
    edge.isReport(exchangeOf(res)) ? handler(edge.handleReport)(req, res, next) : next(),
  )
  app.use('/mail-events', handler(edge.handleMailEvent))

  app.use(pageHeaders(edge))
  app.use(compression())
  app.use(refuseDataParameter)
  app.use(canonicalAddresses)
  app.use(limitForms(env.VIDEO_MAX_MB))
  const remix = createRequestHandler({
    build,
    mode: env.NODE_ENV,
    getLoadContext: (_req, res) => ({ exchange: exchangeOf(res) }),
  })
  app.use((req, res, next) => {
    // We checked the origin above, against the sites' own addresses too. Remix would compare it only with the Host
    // header.
    delete req.headers.origin
    // Remix's adapter trusts this header from everybody; `hostOf` checks TRUST_PROXY.
    delete req.headers['x-forwarded-host']
    req.headers.host = exchangeOf(res).host
    return remix(req, res, next)
  })
  app.use((error: unknown, req: express.Request, res: express.Response, _next: Next) => fault(edge, error, req, res))
  return app
}

/** Package files and the addresses that a unit needs, on an origin without a session. */
function createContentApp(edge: Edge): express.Express {
  const app = express()
  app.disable('x-powered-by')
  app.set('trust proxy', edge.env().TRUST_PROXY || false)
  app.set('etag', false)
  app.use(beginRequest(edge), refuseMalformed)
  app.get('/healthz', handler(edge.handleHealth))
  app.use('/xapi', handler(edge.handleXapi))
  app.use('/launch/fetch', handler(edge.handleLaunchFetch))
  app.use(handler(edge.handleContentFile))
  app.use((error: unknown, req: express.Request, res: express.Response, _next: Next) => fault(edge, error, req, res))
  return app
}

/** Identifies the request for everything that follows. Every answer has a request id and is logged. */
function beginRequest(edge: Edge): express.RequestHandler {
  // Also behind a proxy that TRUST_PROXY does not name: cookies of an https site are never sent in the clear.
  const isHttps = edge.env().SITE_ORIGIN.startsWith('https:')
  return (req, res, next) => {
    res.locals.exchange = edge.beginExchange(req, res, {
      isSecure: req.secure || isHttps,
      address: req.ip ?? null,
      host: hostOf(req),
    })
    res.setHeader('X-Build-Number', edge.buildNumber())
    // An open connection would bring the next request to a process that is gone by then.
    if (edge.isStopping()) res.setHeader('Connection', 'close')
    commonHeaders(res, { isHttps })
    logWhenDone(edge, req, res, next)
  }
}

function handler(
  handle: (req: IncomingMessage, res: ServerResponse, exchange: Exchange) => Promise<void>,
): express.RequestHandler {
  return (req, res, next) => {
    handle(req, res, exchangeOf(res)).catch(next)
  }
}

function exchangeOf(res: express.Response): Exchange {
  return res.locals.exchange as Exchange
}

/** The host that the visitor requested, from a trusted proxy if there is one, in a single spelling. */
function hostOf(req: express.Request): string {
  const trusted = req.app.get('trust proxy fn') as (address: string, hops: number) => boolean
  const forwarded = req.headers['x-forwarded-host']
  const sent =
    trusted(req.socket.remoteAddress ?? '', 0) && typeof forwarded === 'string' ? forwarded.split(',')[0] : undefined
  const host = (sent ?? req.headers.host ?? '').trim().toLowerCase()
  return host.replace(req.secure ? /:443$/ : /:80$/, '').replace(/\.(?=:|$)/, '')
}

/**
 * Films of lectures and videos are for people who may open them, like their captions. The address is decoded as the
 * static files do it, so that no spelling of it gets around the check.
 */
function guardFilms(edge: Edge): express.RequestHandler {
  return (req, res, next) => {
    const address = decodeURI(req.path)
    if (!address.startsWith('/films/')) return next()
    edge
      .mayFetchFilm(exchangeOf(res), address)
      .then((isAllowed) => (isAllowed ? next() : refuse(res, 404, 'There is no such film.')))
      .catch(next)
  }
}

/** Built assets never change under their name. Other public files are checked again after an hour. */
function staticFiles(edge: Edge): express.RequestHandler {
  const client = path.join(root, 'build/client')
  const isElsewhere = edge.env().ASSET_ORIGIN !== undefined
  if (!existsSync(client)) return (_req, _res, next) => next()
  const serve = sirv(client, {
    brotli: true,
    gzip: true,
    etag: true,
    extensions: [],
    setHeaders: (res, pathname) => {
      const isBuilt = pathname.startsWith('/assets/') || pathname.startsWith('/fonts/')
      const isPrivate = pathname.startsWith('/films/') && !isHomeFilm(pathname)
      // The browser asks for a film again each time, since access can change and several people may share a machine.
      const otherwise = isPrivate ? 'private, no-cache' : 'public, max-age=3600'
      res.setHeader('Cache-Control', isBuilt ? 'public, max-age=31536000, immutable' : otherwise)
      // The host of the assets passes our headers on, and pages of the sites load scripts and fonts from there.
      if (isBuilt && isElsewhere) {
        res.setHeader('Access-Control-Allow-Origin', '*')
        res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin')
      }
    },
  })
  return (req, res, next) => {
    const { range } = req.headers
    if (!req.path.startsWith('/films/') || !isRangeOfSirv(req.headers)) delete req.headers.range
    // sirv does not listen for errors, and an error without a listener ends the process. A deployment may remove files.
    const catchErrors = (file: Readable) => file.once('error', next)
    res.once('pipe', catchErrors)
    serve(req, res, () => {
      res.off('pipe', catchErrors)
      if (range !== undefined) req.headers.range = range
      next()
    })
  }
}

/**
 * sirv understands ranges that have a beginning, and a later end or none. For others it breaks off or sends the wrong
 * bytes, and it overlooks conditions. A server may ignore a range and send the whole file (RFC 9110, 14.2). For all but
 * films ours does: refusing a range of a built asset would say that the refusal may be kept for a year.
 */
function isRangeOfSirv(headers: IncomingMessage['headers']): boolean {
  if (headers['if-range'] !== undefined) return false
  const [, first, last] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(headers.range ?? '') ?? []
  return first !== undefined && (last === '' || (Number(last) > 0 && Number(last) >= Number(first)))
}

/** A page's address ends with a slash; `//login` is a legacy address. */
function canonicalAddresses(req: express.Request, res: express.Response, next: Next) {
  const query = req.url.slice(req.path.length)
  if (/^\/\/+login\/?$/.test(req.path)) return res.redirect(302, `/login/${query}`)
  const isPage = !/\.[a-z0-9]+$/i.test(req.path) && req.path !== manifestPath && !req.path.startsWith('//')
  const asks = req.method === 'GET' || req.method === 'HEAD'
  if (asks && isPage && !req.path.endsWith('/')) return res.redirect(308, `${req.path}/${query}`)
  next()
}

function fault(edge: Edge, error: unknown, req: express.Request, res: express.Response): void {
  // The client has gone in the middle of its body, so there is nobody to answer.
  if (req.destroyed && !req.complete) return
  const { requestId } = exchangeOf(res)
  edge.logger().error({ requestId, err: error }, 'request failed')
  if (res.headersSent) {
    res.destroy()
    return
  }
  const outage = edge.outageOf(error)
  if (outage) res.setHeader('Retry-After', String(outage.retryAfter))
  if (outage) refuse(res, 503, outage.message)
  else refuse(res, 500, 'Something went wrong on our side. Please try again.')
}

function listen(server: Server, port: number, host: string, variable: string): Promise<() => Promise<void>> {
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE' ? `port ${port} is taken` : `port ${port} cannot be used (${error.code})`
      process.stderr.write(`Titrate cannot start: ${reason}. Stop the other program, or choose another ${variable}.\n`)
      process.exit(configurationError)
    })
    server.listen(port, host, () => {
      resolve(
        () =>
          new Promise((closed) => {
            server.close(() => closed())
            // Connections that finish an answer now become idle afterwards and would stay open as long as they may.
            setInterval(() => server.closeIdleConnections(), 100).unref()
            setTimeout(() => server.closeAllConnections(), 8000).unref()
          }),
      )
    })
  })
}
