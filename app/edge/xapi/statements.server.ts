import { parseAcceptLanguage } from '~/lib/language.ts'
import { Invalid } from '~/services/errors.ts'
import {
  type Actor,
  checkActor,
  consistentThrough,
  formatMicros,
  isIri,
  isUuid,
  parseTimestamp,
  type StatementFormat,
  type StatementQuery,
} from '~/services/xapi/xapi.server.ts'
import { type Answer, json, noContent } from './answer.server.ts'
import type { Principal } from './principal.server.ts'
import { allowParams, parseJson, requireParam, type XapiRequest } from './request.server.ts'

/** `/xapi/statements` and, below it, the pages of a walk (xAPI 1.0.3 communication 2.1). */
const listParams = [
  'agent',
  'verb',
  'activity',
  'registration',
  'related_activities',
  'related_agents',
  'since',
  'until',
  'limit',
  'ascending',
] as const
const formParams = ['format', 'attachments']
const morePrefix = 'statements/more/'

export async function answerStatements(request: XapiRequest, principal: Principal): Promise<Answer> {
  const answer = await route(request, principal)
  const through = await throughOf(request, principal)
  return { ...answer, headers: { ...answer.headers, 'X-Experience-API-Consistent-Through': through.toISOString() } }
}

/** Writers are told a time that is safely past (no transaction lives that long), readers the exact one. */
async function throughOf(request: XapiRequest, { ctx }: Principal): Promise<Date> {
  return request.method === 'GET' ? consistentThrough(ctx) : new Date(ctx.now.getTime() - 60_000)
}

async function route(request: XapiRequest, principal: Principal): Promise<Answer> {
  if (request.method === 'GET') {
    return request.resource.startsWith(morePrefix) ? more(request, principal) : read(request, principal)
  }
  if (request.resource !== 'statements') throw new Invalid('Only GET is possible here.', {}, 'xapi.method')
  if (request.method === 'PUT') return put(request, principal)
  if (request.method === 'POST') return post(request, principal)
  throw new Invalid(`${request.method} is not possible for statements.`, {}, 'xapi.method')
}

async function put(request: XapiRequest, principal: Principal): Promise<Answer> {
  allowParams(request, ['statementId'])
  const id = requireParam(request, 'statementId')
  const body = await readStatements(request)
  if (Array.isArray(body)) throw new Invalid('PUT takes one statement.', {}, 'xapi.invalid')
  const statement = typeof body === 'object' && body !== null ? (body as { id?: unknown }) : {}
  if (statement.id !== undefined && String(statement.id).toLowerCase() !== id.toLowerCase()) {
    throw new Invalid('The id of the statement is not the statementId of the request.', {}, 'xapi.invalid')
  }
  await principal.record({ ...statement, id }, request.version)
  return noContent
}

async function post(request: XapiRequest, principal: Principal): Promise<Answer> {
  allowParams(request, [])
  return json(200, JSON.stringify(await principal.record(await readStatements(request), request.version)))
}

async function readStatements(request: XapiRequest): Promise<unknown> {
  const type = request.header('content-type') ?? ''
  if (/^multipart\/mixed\s*(;|$)/i.test(type)) {
    throw new Invalid('Attachments (multipart/mixed) are not accepted yet.', {}, 'xapi.attachments')
  }
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Invalid('Statements are sent as application/json.', {}, 'xapi.content_type')
  }
  return parseJson((await request.body()).toString('utf8'), 'The body')
}

async function read(request: XapiRequest, principal: Principal): Promise<Answer> {
  const { params } = request
  if (request.resource !== 'statements') throw new Invalid('There is no such address here.', {}, 'xapi.parameter')
  const languages = parseAcceptLanguage(request.header('accept-language') ?? '')
  const format = enumParam(request, 'format', ['exact', 'ids', 'canonical']) as StatementFormat | undefined
  const withAttachments = booleanParam(request, 'attachments') ?? false
  const id = params.get('statementId')
  const voidedId = params.get('voidedStatementId')
  if (id !== undefined || voidedId !== undefined) {
    allowParams(request, [id !== undefined ? 'statementId' : 'voidedStatementId', ...formParams])
    const wanted = (id ?? voidedId) as string
    if (!isUuid(wanted)) throw new Invalid('The id of the statement is not a UUID.', {}, 'xapi.parameter')
    const found = await principal.statement({
      id: wanted.toLowerCase(),
      isVoided: voidedId !== undefined,
      languages,
      ...(format && { format }),
    })
    const lastModified = new Date(Math.floor(found.seq / 1000)).toUTCString()
    return inParts(found.statement, withAttachments, { 'Last-Modified': lastModified })
  }
  allowParams(request, [...listParams, ...formParams])
  const page = await principal.query({ ...filterOf(request), languages, ...(format && { format }) })
  return inParts(pageBody(page), withAttachments)
}

async function more(request: XapiRequest, principal: Principal): Promise<Answer> {
  allowParams(request, [])
  const page = await principal.queryMore(request.resource.slice(morePrefix.length))
  return json(200, pageBody(page))
}

function pageBody({ statements, more }: { statements: string[]; more: string | null }): string {
  const next = more === null ? '' : `/xapi/${morePrefix}${more}`
  return `{"statements":[${statements.join(',')}],"more":${JSON.stringify(next)}}`
}

/** With `attachments=true` the answer is multipart, with as many parts as there are attachments kept: none yet. */
function inParts(body: string, withAttachments: boolean, headers: Record<string, string> = {}): Answer {
  if (!withAttachments) return json(200, body, headers)
  const boundary = 'titrate-xapi-part'
  const text = `--${boundary}\r\nContent-Type: application/json\r\n\r\n${body}\r\n--${boundary}--\r\n`
  return { status: 200, headers: { ...headers, 'Content-Type': `multipart/mixed; boundary=${boundary}` }, body: text }
}

function filterOf(request: XapiRequest): StatementQuery {
  const { params } = request
  const limit = params.get('limit')
  if (limit !== undefined && !/^\d{1,9}$/.test(limit)) {
    throw new Invalid('limit must be a whole number.', {}, 'xapi.parameter')
  }
  const registration = params.get('registration')
  if (registration !== undefined && !isUuid(registration)) {
    throw new Invalid('registration is not a UUID.', {}, 'xapi.parameter')
  }
  return {
    ...(params.has('agent') && { agent: agentParam(request) }),
    ...(params.has('verb') && { verb: iriParam(request, 'verb') }),
    ...(params.has('activity') && { activity: iriParam(request, 'activity') }),
    ...(registration !== undefined && { registration: registration.toLowerCase() }),
    relatedActivities: booleanParam(request, 'related_activities') ?? false,
    relatedAgents: booleanParam(request, 'related_agents') ?? false,
    ...(params.has('since') && { since: timeParam(request, 'since') }),
    ...(params.has('until') && { until: timeParam(request, 'until') }),
    ...(limit !== undefined && { limit: Number(limit) }),
    isAscending: booleanParam(request, 'ascending') ?? false,
  }
}

export function agentParam(request: XapiRequest): Actor {
  const value = parseJson(requireParam(request, 'agent'), 'The parameter agent')
  checkActor(value, 'agent')
  return value as Actor
}

export function iriParam(request: XapiRequest, name: string): string {
  const value = requireParam(request, name)
  if (!isIri(value)) throw new Invalid(`${name} is not an absolute IRI.`, {}, 'xapi.parameter')
  return value
}

/** In microseconds, as `stored` is told to the last digit. */
export function timeParam(request: XapiRequest, name: string): number {
  const micros = parseTimestamp(requireParam(request, name))
  if (micros === null) {
    throw new Invalid(`${name} is not a timestamp such as ${formatMicros(0)}.`, {}, 'xapi.parameter')
  }
  return micros
}

function booleanParam(request: XapiRequest, name: string): boolean | undefined {
  const value = enumParam(request, name, ['true', 'false'])
  return value === undefined ? undefined : value === 'true'
}

function enumParam(request: XapiRequest, name: string, allowed: string[]): string | undefined {
  const value = request.params.get(name)
  if (value !== undefined && !allowed.includes(value)) {
    throw new Invalid(`${name} is one of ${allowed.join(', ')}.`, {}, 'xapi.parameter')
  }
  return value
}
