import { parseAcceptLanguage } from '~/lib/language.ts'
import { Invalid, NotFound } from '~/services/errors.ts'
import {
  type Actor,
  type AttachmentFile,
  checkActor,
  formatMicros,
  isIri,
  isUuid,
  parseTimestamp,
  type StatementFormat,
  type StatementQuery,
  storedAt,
} from '~/services/xapi/xapi.server.ts'
import { type Answer, json, noContent } from './answer.server.ts'
import { isMixed, mixedAnswer, readMixed } from './multipart.server.ts'
import type { Given, Principal } from './principal.server.ts'
import { allowParams, parseJson, parseJsonBytes, requireParam, type XapiRequest } from './request.server.ts'

/** `/xapi/statements` and, below it, the pages of a long result (xAPI 1.0.3 communication 2.1). */
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
  if (request.method !== 'GET') return route(request, principal)
  // This time is read before the statements: statements that are stored in between may be missing from the answer, so
  // the time must not include them.
  const through = await principal.consistentThrough()
  const answer = await route(request, principal)
  return { ...answer, headers: { ...answer.headers, 'X-Experience-API-Consistent-Through': through.toISOString() } }
}

async function route(request: XapiRequest, principal: Principal): Promise<Answer> {
  if (request.method === 'GET') {
    return request.resource.startsWith(morePrefix) ? more(request, principal) : read(request, principal)
  }
  if (request.resource !== 'statements') throw new Invalid('Only GET is allowed here.', {}, 'xapi.method')
  if (request.method === 'PUT') return put(request, principal)
  if (request.method === 'POST') return post(request, principal)
  throw new Invalid(`${request.method} is not possible for statements.`, {}, 'xapi.method')
}

async function put(request: XapiRequest, principal: Principal): Promise<Answer> {
  allowParams(request, ['statementId'])
  const id = requireParam(request, 'statementId')
  const body = await readStatements(request)
  const { statements, attachments } = body
  if (Array.isArray(statements)) throw new Invalid('PUT takes one statement.', {}, 'xapi.invalid')
  const statement = typeof statements === 'object' && statements !== null ? (statements as { id?: unknown }) : {}
  if (statement.id !== undefined && String(statement.id).toLowerCase() !== id.toLowerCase()) {
    throw new Invalid('The id of the statement is not the statementId of the request.', {}, 'xapi.invalid')
  }
  await principal.record({ statements: { ...statement, id }, attachments }, request.version)
  return noContent
}

async function post(request: XapiRequest, principal: Principal): Promise<Answer> {
  allowParams(request, [])
  return json(200, JSON.stringify(await principal.record(await readStatements(request), request.version)))
}

async function readStatements(request: XapiRequest): Promise<Given> {
  const type = request.header('content-type') ?? ''
  if (isMixed(type)) {
    const { json, attachments } = readMixed(await request.body(), type)
    return { statements: parseJsonBytes(json, 'The first part'), attachments }
  }
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Invalid('Statements must be sent as application/json or multipart/mixed.', {}, 'xapi.content_type')
  }
  return { statements: parseJsonBytes(await request.body(), 'The body'), attachments: [] }
}

async function read(request: XapiRequest, principal: Principal): Promise<Answer> {
  const { params } = request
  if (request.resource !== 'statements') throw new NotFound('There is nothing at this address.')
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
      withAttachments,
      ...(format && { format }),
    })
    return statementsAnswer(found.statement, found.attachments, found.seq)
  }
  allowParams(request, [...listParams, ...formParams])
  const page = await principal.query({ ...filterOf(request), languages, withAttachments, ...(format && { format }) })
  return statementsAnswer(pageBody(page), page.attachments, page.lastSeq)
}

async function more(request: XapiRequest, principal: Principal): Promise<Answer> {
  allowParams(request, [])
  const page = await principal.queryMore(request.resource.slice(morePrefix.length))
  return statementsAnswer(pageBody(page), page.attachments, page.lastSeq)
}

function pageBody({ statements, more }: { statements: string[]; more: string | null }): string {
  const next = more === null ? '' : `/xapi/${morePrefix}${more}`
  return `{"statements":[${statements.join(',')}],"more":${JSON.stringify(next)}}`
}

/** With `attachments=true` the answer is multipart, whether there are attachments or not. */
function statementsAnswer(body: string, files: AttachmentFile[] | null, lastSeq: number | null): Answer {
  // 2.0 4.1.6.1: the time when the newest statement of the answer was stored.
  const headers: Record<string, string> = lastSeq === null ? {} : { 'Last-Modified': storedAt(lastSeq).toUTCString() }
  return files ? mixedAnswer(body, files, headers) : json(200, body, headers)
}

function filterOf(request: XapiRequest): StatementQuery {
  const { params } = request
  const limit = params.get('limit')
  if (limit !== undefined && !/^\d+$/.test(limit)) {
    throw new Invalid('limit must be a whole number.', {}, 'xapi.parameter')
  }
  const registration = params.get('registration')
  if (registration !== undefined && !isUuid(registration)) {
    throw new Invalid('registration is not a UUID.', {}, 'xapi.parameter')
  }
  return {
    ...(params.has('agent') && { agent: agentParam(request, 'any') }),
    ...(params.has('verb') && { verb: iriParam(request, 'verb') }),
    ...(params.has('activity') && { activity: iriParam(request, 'activity') }),
    ...(registration !== undefined && { registration: registration.toLowerCase() }),
    relatedActivities: booleanParam(request, 'related_activities') ?? false,
    relatedAgents: booleanParam(request, 'related_agents') ?? false,
    ...(params.has('since') && { since: timeParam(request, 'since') }),
    ...(params.has('until') && { until: timeParam(request, 'until') }),
    ...(limit !== undefined && { limit: Math.min(Number(limit), Number.MAX_SAFE_INTEGER) }),
    isAscending: booleanParam(request, 'ascending') ?? false,
  }
}

/**
 * Statements are found for an Agent or an identified Group (2.1.3). A Person and documents belong to an Agent (2.4,
 * 2.6).
 */
export function agentParam(request: XapiRequest, kind: 'any' | 'agent'): Actor {
  const value = parseJson(requireParam(request, 'agent'), 'The parameter agent')
  checkActor(value, 'agent')
  const actor = value as Actor
  const isNamed = actor.mbox ?? actor.mbox_sha1sum ?? actor.openid ?? actor.account
  if (!isNamed) throw new Invalid('agent must have an identifier of its own.', {}, 'xapi.parameter')
  if (kind === 'agent' && actor.objectType === 'Group') {
    throw new Invalid('agent must be an Agent, not a Group.', {}, 'xapi.parameter')
  }
  return actor
}

export function iriParam(request: XapiRequest, name: string): string {
  const value = requireParam(request, name)
  if (!isIri(value)) throw new Invalid(`${name} is not an absolute IRI.`, {}, 'xapi.parameter')
  return value
}

/** A time in microseconds, the precision of `stored`. */
export function timeParam(request: XapiRequest, name: string): number {
  const micros = parseTimestamp(requireParam(request, name), request.version)
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
