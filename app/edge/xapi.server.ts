/**
 * The record store's transport, on app hosts for clients with keys and on the content host for units: xAPI 1.0.3 and
 * 2.0 over plain node requests. No cookie is read here. Units' tokens go to cmi5, clients' keys to xapi.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Exchange } from '~/http/exchange.server.ts'
import { NotFound } from '~/services/errors.ts'
import { type Agent, definitionsOf } from '~/services/xapi/xapi.server.ts'
import { type Answer, answerPreflight, json, refusalOf, setCommonHeaders } from './xapi/answer.server.ts'
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
  if (req.method === 'OPTIONS') return answerPreflight(res, exchange.header('access-control-request-headers'))
  const isHead = req.method === 'HEAD'
  let principal: Principal | null = null
  try {
    const request = await readXapiRequest(req, exchange.url)
    res.setHeader('X-Experience-API-Version', request.version)
    if (isHead) request.method = 'GET'
    if (request.resource === 'about' && request.method === 'GET') return write(res, about(request), isHead)
    principal = await authenticate(await baseContextOf(exchange), request.header('authorization'))
    write(res, await answer(request, principal), isHead)
  } catch (error) {
    // Who asked has gone in the middle of a body: nobody is left to be answered.
    if (req.destroyed && !req.complete) return
    const refusal = refusalOf(error)
    if (!refusal) exchange.log.error({ err: error }, 'xapi request failed')
    const fault = json(500, JSON.stringify({ error: 'Something went wrong on our side. Please try again.' }))
    write(res, refusal ?? fault, isHead)
    // What is left of a refused body is not read to its end.
    if (!req.complete) req.resume()
  }
  await principal?.finish().catch((error) => exchange.log.warn({ err: error }, 'last use was not recorded'))
}

async function answer(request: XapiRequest, principal: Principal): Promise<Answer> {
  const { resource, method } = request
  if (resource === 'statements' || resource.startsWith('statements/')) return answerStatements(request, principal)
  if (documentResources.includes(resource)) return answerDocuments(resource as DocumentResource, request, principal)
  if (resource === 'activities' && method === 'GET') return activity(request, principal)
  if (resource === 'agents' && method === 'GET') return person(request, principal)
  throw new NotFound('There is nothing at this address.')
}

/** xAPI 1.0.3 communication 2.8: for everybody. */
function about(request: XapiRequest): Answer {
  allowParams(request, [])
  return json(200, JSON.stringify({ version: [latestVersion, '1.0.3', '1.0.2', '1.0.1', '1.0.0'] }))
}

/** What is known about an activity, from all that was said of it (communication 2.5). */
async function activity(request: XapiRequest, principal: Principal): Promise<Answer> {
  allowParams(request, ['activityId'])
  const id = iriParam(request, 'activityId')
  principal.mayLookUp(null)
  const definition = (await definitionsOf(principal.ctx, [id])).get(id)
  return json(200, JSON.stringify({ objectType: 'Activity', id, ...(definition && { definition }) }))
}

/** A Person with the one identifier asked for: we join no identifiers (communication 2.4). */
async function person(request: XapiRequest, principal: Principal): Promise<Answer> {
  allowParams(request, ['agent'])
  const agent = agentParam(request) as Agent
  principal.mayLookUp(agent)
  const { name, mbox, mbox_sha1sum, openid, account } = agent
  const known = Object.entries({ name, mbox, mbox_sha1sum, openid, account }).filter(([, value]) => value !== undefined)
  const lists = Object.fromEntries(known.map(([key, value]) => [key, [value]]))
  return json(200, JSON.stringify({ objectType: 'Person', ...lists }))
}

function write(res: ServerResponse, { status, headers = {}, body }: Answer, isHead: boolean): void {
  if (res.writableEnded) return
  const length = body === undefined ? 0 : Buffer.byteLength(body)
  const isEmpty = status === 204
  res.writeHead(status, { ...headers, ...(!isEmpty && { 'Content-Length': String(length) }) })
  res.end(isHead || isEmpty ? undefined : body)
}
