/**
 * The record store's transport, on app hosts for clients with keys and on the content host for units: xAPI 1.0.3 and
 * 2.0 over plain Node requests. It reads no cookie. Units' tokens go to cmi5, clients' keys to xapi.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Exchange } from '~/http/exchange.server.ts'
import { Invalid, NotFound } from '~/services/errors.ts'
import { type Agent, definitionsOf } from '~/services/xapi/xapi.server.ts'
import {
  type Answer,
  answerPreflight,
  faultOf,
  json,
  jsonWithEtag,
  refusalOf,
  setCommonHeaders,
} from './xapi/answer.server.ts'
import { baseContextOf } from './xapi/context.server.ts'
import { answerDocuments, type DocumentResource } from './xapi/documents.server.ts'
import { authenticate, type Principal } from './xapi/principal.server.ts'
import { allowParams, readXapiRequest, type XapiRequest } from './xapi/request.server.ts'
import { agentParam, answerStatements, iriParam } from './xapi/statements.server.ts'

const latestVersion = '2.0.0'
const documentResources: string[] = ['activities/state', 'agents/profile', 'activities/profile']

export async function handleXapi(req: IncomingMessage, res: ServerResponse, exchange: Exchange): Promise<void> {
  setCommonHeaders(res)
  res.setHeader('X-Experience-API-Version', latestVersion)
  // 1.0.3 communication 2.1.3 wants this header on each answer about statements, refusals too. Readers get the exact
  // time later. A minute is more than any writer should need, but it is no limit: in a web process each SQL statement
  // of a transaction may take 20 s, and in jobs and in a process of both roles it may take any time. Statements of such
  // a transaction appear later although this header said that everything was there.
  if (/^\/+xapi\/+statements([/?]|$)/i.test(exchange.url)) {
    const through = new Date(exchange.startedAt.getTime() - 60_000)
    res.setHeader('X-Experience-API-Consistent-Through', through.toISOString())
  }
  if (req.method === 'OPTIONS') return answerPreflight(res, exchange.header('access-control-request-headers'))
  const isHead = req.method === 'HEAD'
  let principal: Principal | null = null
  try {
    const request = await readXapiRequest(req, exchange.url)
    res.setHeader('X-Experience-API-Version', request.version)
    if (isHead) request.method = 'GET'
    if (request.resource === 'about' && request.method === 'GET') return await write(res, about(request), isHead)
    principal = await authenticate(await baseContextOf(exchange), request.header('authorization'), {
      isReading: request.method === 'GET' && request.resource.startsWith('statements'),
    })
    await write(res, await answer(request, principal), isHead)
  } catch (error) {
    // The client has gone in the middle of its body, so there is nobody to answer.
    if (req.destroyed && !req.complete) return
    // Half of the answer has been sent. Only closing the connection tells the client that it is incomplete.
    if (res.headersSent) {
      if (!isGone(error)) exchange.log.error({ err: error }, 'xapi answer was cut off')
      res.destroy()
      return
    }
    const accept = exchange.header('accept')
    const refusal = refusalOf(error, accept)
    if (!refusal) exchange.log.error({ err: error }, 'xapi request failed')
    if (refusal?.status === 401 && !isFromPage(exchange)) {
      res.setHeader('WWW-Authenticate', 'Basic realm="xAPI", charset="UTF-8"')
    }
    await write(res, refusal ?? faultOf(error, accept), isHead)
    if (!req.complete) discardRest(req)
  }
  await principal?.finish().catch((error) => exchange.log.warn({ err: error }, 'last use was not recorded'))
}

async function answer(request: XapiRequest, principal: Principal): Promise<Answer> {
  const { resource, method } = request
  if (resource === 'statements' || resource.startsWith('statements/')) return answerStatements(request, principal)
  if (documentResources.includes(resource)) return answerDocuments(resource as DocumentResource, request, principal)
  const reader = readers.get(resource)
  if (!reader) throw new NotFound('There is nothing at this address.')
  if (method !== 'GET') throw new Invalid(`${method} is not possible here.`, {}, 'xapi.method')
  return reader(request, principal)
}

const readers = new Map<string, (request: XapiRequest, principal: Principal) => Answer | Promise<Answer>>([
  ['about', about],
  ['activities', activity],
  ['agents', person],
])

/** Everybody may read this (xAPI 1.0.3 communication 2.8). */
function about(request: XapiRequest): Answer {
  allowParams(request, [])
  return json(200, JSON.stringify({ version: [latestVersion, '1.0.3', '1.0.2', '1.0.1', '1.0.0'] }))
}

/** The definition of an activity, merged from all statements about it (communication 2.5). */
async function activity(request: XapiRequest, principal: Principal): Promise<Answer> {
  allowParams(request, ['activityId'])
  const id = iriParam(request, 'activityId')
  principal.mayLookUp(null)
  const definition = (await definitionsOf(principal.ctx, [id])).get(id)
  return jsonWithEtag({ objectType: 'Activity', id, ...(definition && { definition }) })
}

/** A Person with only the identifier of the request: we do not join identifiers (communication 2.4). */
async function person(request: XapiRequest, principal: Principal): Promise<Answer> {
  allowParams(request, ['agent'])
  const agent = agentParam(request, 'agent') as Agent
  principal.mayLookUp(agent)
  const { name, mbox, mbox_sha1sum, openid, account } = agent
  const known = Object.entries({ name, mbox, mbox_sha1sum, openid, account }).filter(([, value]) => value !== undefined)
  const lists = Object.fromEntries(known.map(([key, value]) => [key, [value]]))
  return jsonWithEtag({ objectType: 'Person', ...lists })
}

async function write(res: ServerResponse, { status, headers = {}, body }: Answer, isHead: boolean): Promise<void> {
  if (res.writableEnded) return
  if (typeof body === 'function') {
    res.writeHead(status, headers)
    if (isHead) res.end()
    else await pipeline(Readable.from(body(), { objectMode: false }), res)
    return
  }
  const length = body === undefined ? 0 : Buffer.byteLength(body)
  const isEmpty = status === 204
  res.writeHead(status, { ...headers, ...(!isEmpty && { 'Content-Length': String(length) }) })
  res.end(isHead || isEmpty ? undefined : body)
}

/** Discards the rest of a refused body, so that the client reads the answer. Cuts off a client that keeps sending. */
function discardRest(req: IncomingMessage): void {
  const timer = setTimeout(() => req.destroy(), 5000)
  req.once('close', () => clearTimeout(timer))
  req.resume()
}

/** True if a page sent the request. A browser would answer `Basic` with its sign-in prompt, in the middle of a unit. */
function isFromPage(exchange: Exchange): boolean {
  return ['origin', 'referer', 'sec-fetch-mode'].some((name) => exchange.header(name) !== undefined)
}

/** True if the client has closed the connection. */
function isGone(error: unknown): boolean {
  return (error as { code?: string }).code === 'ERR_STREAM_PREMATURE_CLOSE'
}
